/** @file `hf:org/name@revision`: a repository of the Hugging Face Hub as `--model` names it. */
import { UsageError } from '../../core/errors.js';

export interface HubSpec {
  /** `org/name`, or a bare `name` from the Hub's first days. */
  readonly id: string;
  /** Branch, tag, `refs/pr/1`, or a commit's 40 hexadecimal digits. */
  readonly revision: string;
  /** @default 'models' */
  readonly kind?: RepositoryKind;
}

/** As the Hub's addresses call it. */
export type RepositoryKind = 'models' | 'datasets';

/** Kind of repository, in words. */
export const nounOf = ({ kind }: HubSpec): string => (kind === 'datasets' ? 'data set' : 'model');

const PREFIX = 'hf:';

export const isHubSpec = (spec: string): boolean => spec.startsWith(PREFIX);

export const isCommit = (revision: string): boolean => /^[0-9a-f]{40}$/.test(revision);

/** The last part of the repository's name. */
export const nameOf = ({ id }: HubSpec): string => id.slice(id.indexOf('/') + 1);

/** The spec that names these very files for good. */
export const pinnedSpec = (id: string, commit: string): string => `${PREFIX}${id}@${commit}`;

/** The Hub's own rules: word characters, dots and dashes; `--` and `..` are kept for others to join names with. */
const isName = (part: string): boolean => /^\w(?:[\w.-]{0,94}\w)?$/.test(part) && !/--|\.\./.test(part);

/** git-check-ref-format(1), as far as it keeps a name from being a path to somewhere else. */
const isRevision = (revision: string): boolean =>
  !/[\s\\:~^?*[\p{Cc}]|\.\./u.test(revision) && revision.split('/').every((part) => /^[^.]/.test(part));

/** Throws UsageError (HUB_SPEC) where it cannot name a repository. */
export function parseHubSpec(spec: string): HubSpec {
  const [, id = '', revision = 'main'] = /^([^@]*)(?:@(.*))?$/s.exec(spec.slice(PREFIX.length)) ?? [];
  const parts = id.split('/');
  if (parts.length > 2 || !parts.every(isName)) {
    throw bad(spec, 'org/name after it', 'Copy the name from the head of its page, without the address.');
  }
  if (!isRevision(revision)) {
    throw bad(spec, 'a revision after the @', 'Name a branch, a tag, or a commit by its 40 digits.');
  }
  return { id, revision };
}

const bad = (spec: string, what: string, hint: string): UsageError =>
  new UsageError(`"${spec}": expected ${PREFIX} with ${what}`, { code: 'HUB_SPEC', hint });
