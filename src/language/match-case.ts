export { matchCase } from '../shield/match-case.js';
