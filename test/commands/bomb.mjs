// An attack that crashes where nobody catches it, while texts are being attacked.
import shouting from './shouting.mjs';

setTimeout(() => {
  throw new Error('boom');
}, 1200);

export default shouting;
