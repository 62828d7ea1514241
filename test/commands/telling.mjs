// An attack that reports on stderr when it receives an example.
import shouting from './shouting.mjs';

const create = (options) => {
  const attack = shouting.create(options);
  const run = (example, target) => {
    process.stderr.write('told of an example\n');
    return attack.run(example, target);
  };
  return { ...attack, run };
};

export default { ...shouting, name: 'telling', create };
