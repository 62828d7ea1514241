/** One line per attack and per success, for a chat: robust attack --reporter ./my-reporter.mjs -o report.txt */
// @ts-check
import { visible } from 'robust-text/plugin';

/** @type {import('robust-text/plugin').ReporterPlugin} */
export default {
  kind: 'reporter',
  name: 'my-reporter',
  summary: 'One line per attack and per success, as plain text.',
  extension: 'txt',
  // `examples` streams from the journal, so a report of any size fits in memory. Texts are hostile: pass them through visible().
  async *render({ model, attacks, examples, verdict }) {
    yield `${visible(model.name)}: ${verdict}\n`;
    for (const { name, attackSuccessRate: rate } of attacks) {
      const value = rate.value === null ? 'not measured' : `${(rate.value * 100).toFixed(1)} %`;
      yield `${name}: ${value} of ${rate.n}\n`;
    }
    for await (const { status, text, adversarial } of examples) {
      if (status === 'succeeded' && adversarial !== undefined) yield `${visible(text)} -> ${visible(adversarial)}\n`;
    }
  },
};
