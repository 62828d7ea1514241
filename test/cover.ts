/**
 * @file Which cells of a matrix are tested: with TEST_WHOLE, which .ci/run sets, all of them; else a share of each row, so that every row and
 * every column is met. Properties are tried on as many values, or on a share of them.
 */
export const WHOLE = process.env.TEST_WHOLE !== undefined;

/** Whether the cell is one of those that are tested always: one in `of` of each row and of each column, in turn. */
export const covers = (row: number, column: number, of: number): boolean => WHOLE || (row + column) % of === 0;

/** How many values a property is tried on, of so many where the whole is tested. */
export const tries = (whole: number): number => (WHOLE ? whole : Math.ceil(whole / 4));

/** The columns that a row of a matrix meets. */
export const covered = <Column>(columns: readonly Column[], row: number, of: number): readonly Column[] =>
  columns.filter((_, column) => covers(row, column, of));
