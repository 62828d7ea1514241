/** @file Next steps for a reader of a report, as commands. */
import type { Report, SuggestedStep } from '../../src/plugin.js';

/** A name that a shell takes as it stands. */
const plain = (name: string): boolean => /^[\w./:@-]+$/.test(name);

export function nextSteps({ model, run, closest }: Report): SuggestedStep[] {
  const name = plain(model.name) ? model.name : 'MODEL';
  return [
    // The page and defences know texts with labels.
    ...(closest.length > 0 && model.output?.tags === undefined
      ? [
          { title: 'Attack a sentence of your own', line: `robust ui -m ${name} --open` },
          { title: 'Try a defence', line: `robust compare ${name} ${name}+spelling` },
        ]
      : []),
    { title: 'Fail CI when a figure gets worse', line: `robust init --from ${run}` },
  ];
}
