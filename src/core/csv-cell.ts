/** @file A cell of a CSV file (RFC 4180) that no spreadsheet runs as a formula. */

/** The start of a formula for spreadsheets, full-width characters included (OWASP, "CSV injection"). */
const FORMULA = /^\s*[=+\-@＝＋－＠]/;
/** The same after a semicolon, which is the separator in locales with a decimal comma. Smileys do not match. */
const AFTER_SEMICOLON = /(?<=;\s*)(?=[=@＝＠]|[+\-＋－][\s\w(])/g;

/** Text as a cell. What a spreadsheet would run gets an apostrophe in front, so such texts are not verbatim. */
export function csvCell(text: string): string {
  const shown = text.replace(AFTER_SEMICOLON, "'");
  const safe = FORMULA.test(shown) ? `'${shown}` : shown;
  return /[",;\r\n\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Cells as a line. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;
