// TF.js with the parts that run in Node.js: one file of it, in dist/vendor/ (bin/vendor.js), instead of 60 MB of bundles and source maps.
const tf = require('@tensorflow/tfjs-core');
// Its debug lines ("Platform node has already been set") have no place in a command's output.
tf.env().set('PROD', true);
require('@tensorflow/tfjs-backend-cpu');
require('@tensorflow/tfjs-backend-wasm');
module.exports = tf;
