/** The fields whose value is not undefined. Spread into a record, it adds no key for a value that is absent. */
export const defined = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } => {
  const kept = { ...fields };
  for (const key in fields) if (fields[key] === undefined) delete kept[key];
  return kept as ReturnType<typeof defined<T>>;
};
