/** @file What a model is called where its figures stand: a bundled model is not taken for the one that it is named after. */

const BUNDLED = [
  {
    name: 'distilbert',
    sha256: 'd0885b2c678f56427ad302010b84c0ae8486ad72ceda69cd966a812aa7409529',
    title: 'distilbert (bundled demo, 4 layers)',
  },
];

/** The name of a model, perhaps with defences behind plus signs, in titles, tables and captions. */
export function modelTitle({ name, sha256 }: { readonly name: string; readonly sha256: string }): string {
  const known = BUNDLED.find((one) => one.sha256 === sha256 && (name === one.name || name.startsWith(`${one.name}+`)));
  return known === undefined ? name : known.title + name.slice(known.name.length);
}
