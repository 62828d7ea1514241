export { matchCase } from '../../packages/shield/src/match-case.js';
