import type { Language } from '../core/language.js';
import type { Profile } from '../core/profile.js';

/** A language whose work the profile counts. Missing parts stay missing, and lazy parts lazy. */
export function profiledLanguage(language: Language, profile: Pick<Profile, 'spend'>): Language {
  const wrapped = new WeakMap<object, object>();
  const profilePart = (part: unknown, owner: object): unknown => {
    if (typeof part === 'function') {
      return (...given: unknown[]) => profile.spend('language', () => Reflect.apply(part, owner, given));
    }
    if (typeof part !== 'object' || part === null || part instanceof Map || part instanceof Set || Array.isArray(part))
      return part;
    let proxy = wrapped.get(part);
    if (proxy === undefined) {
      const known = new Map<PropertyKey, unknown>();
      proxy = new Proxy(part, {
        get(target, name) {
          if (!known.has(name)) known.set(name, profilePart(Reflect.get(target, name), target));
          return known.get(name);
        },
      });
      wrapped.set(part, proxy);
    }
    return proxy;
  };
  return profilePart(language, language) as Language;
}
