/** The file that makes a folder a model of TF.js. */
export const TFJS_FILE = 'model.json';
