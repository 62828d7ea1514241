/** @file Blind reviews: people decide whether adversarial texts keep their labels. */
export { withReviewFigures } from './figures.js';
export { isReviewed, ReviewFolder } from './folder.js';
export type { ItemReading } from './journal.js';
export { makePlan } from './make-plan.js';
export {
  countTexts,
  firstReadings,
  type ReviewAnswer,
  type ReviewPlan,
  type ReviewQuestion,
} from './plan.js';
export type { AnswerDetails, BlindItem, ReaderSession, ReviewProgress } from './session.js';
export { CANNOT_TELL, readSheet, sheetOf } from './sheet.js';
export { intervalWidth, textsForWidth } from './width.js';
