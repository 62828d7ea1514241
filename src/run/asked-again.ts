/** @file On a victim whose answers vary a success is queried again, and counts only if most further answers confirm it. */
import { mostProbable } from '../core/decision.js';
import { CONFIRMING_ANSWERS, FURTHER_ANSWERS } from '../core/endpoint.js';
import type { Attempt, Confirmations } from '../core/outcome.js';
import { isRefusal } from '../core/refusal.js';
import { sameDecision } from './approximation.js';
import type { AttackPair } from './plan.js';

/** The attempt, which becomes a failure if the victim does not confirm it; undefined without anything to confirm. */
export async function confirmAttempt(
  again: (text: string) => Promise<Float32Array>,
  attempt: Attempt,
  { decision }: AttackPair,
  queryOf: (text: string) => string,
): Promise<{ readonly attempt: Attempt; readonly confirmations: Confirmations } | undefined> {
  const { succeeded, text, probabilities } = attempt;
  if (!succeeded || text === undefined) return undefined;
  let confirmed = 0;
  for (let count = 0; count < FURTHER_ANSWERS; count++) {
    const row = await again(queryOf(text));
    if (!isRefusal(row) && sameDecision(decision ?? mostProbable, row, probabilities)) confirmed++;
  }
  const holds = confirmed >= CONFIRMING_ANSWERS;
  const confirmations = { asked: FURTHER_ANSWERS, refuted: holds ? 0 : 1 };
  if (holds) return { attempt, confirmations };
  const reason = `when queried again, ${confirmed} of ${FURTHER_ANSWERS} answers confirmed it`;
  return { attempt: { ...attempt, succeeded: false, reason }, confirmations };
}
