/** @file Texts without what steers a terminal: in the plugin API too, which takes longer to load than a short command runs. */
export { codePoint, INVISIBLE, lookAlikes, visible } from '../src/core/visible.js';
