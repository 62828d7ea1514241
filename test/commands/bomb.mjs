// An attack that crashes where nobody catches it, while it is running.
import shouting from './shouting.mjs';

const create = (options) => {
  const attack = shouting.create(options);
  const run = (example, target) => {
    setTimeout(() => {
      throw new Error('boom');
    });
    return attack.run(example, target);
  };
  return { ...attack, run };
};

export default { ...shouting, name: 'bomb', create };
