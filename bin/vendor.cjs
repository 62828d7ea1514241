// TF.js with the parts that run in Node.js: one file of it, in dist/vendor/ (bin/vendor.js), instead of 60 MB of bundles and source maps.
const tf = require('@tensorflow/tfjs-core');
// Its debug lines ("Platform node has already been set") have no place in a command's output.
tf.env().set('PROD', true);
// Methods of tensors, which layers use here and there.
require('@tensorflow/tfjs-core/dist/public/chained_ops/register_all_chained_ops');
// Derivatives of kernels. Those that tfjs/gradients.ts has too take their place.
require('@tensorflow/tfjs-core/dist/register_all_gradients');
require('@tensorflow/tfjs-backend-cpu');
require('@tensorflow/tfjs-backend-wasm');
const { loadLayersModel } = require('@tensorflow/tfjs-layers');
const { loadGraphModel } = require('@tensorflow/tfjs-converter');
module.exports = { ...tf, loadLayersModel, loadGraphModel };
