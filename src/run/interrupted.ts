import { RobustError } from '../core/errors.js';

/** The run was stopped; its finished outcomes are in its folder. */
export class RunInterrupted extends RobustError {
  /** Undefined for an evaluation, which keeps nothing. */
  readonly run: string | undefined;

  constructor(run?: string) {
    super(run === undefined ? 'interrupted' : `run ${run} was interrupted; what was finished is kept`, {
      code: 'INTERRUPTED',
      ...(run === undefined ? {} : { hint: `Continue with: robust attack --resume ${run}` }),
    });
    this.run = run;
  }
}
