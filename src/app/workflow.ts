/** @file Files that run the gate in CI. */
import { packaged } from '../core/package-root.js';

const WORKFLOWS = {
  github: ['GitHub', '.github/workflows/robustness.yml'],
  gitlab: ['GitLab', '.gitlab-ci.yml'],
  jenkins: ['Jenkins', 'Jenkinsfile'],
} as const;

export const CI = Object.keys(WORKFLOWS) as (keyof typeof WORKFLOWS)[];

/** The file of a CI service that runs the gate, as docs/ci.md has it. */
export function workflowOf(service: keyof typeof WORKFLOWS): { readonly path: string; readonly text: string } {
  const [title, path] = WORKFLOWS[service];
  const guide = packaged('docs', 'ci.md');
  const [, text = ''] = new RegExp(`^## ${title}\\n[\\s\\S]*?^\`\`\`\\w+\\n([\\s\\S]*?)^\`\`\``, 'm').exec(guide) ?? [];
  return { path, text };
}
