/** In CI properties are tried on the same values each time, so that nothing turns red that no change turned; elsewhere on new ones. */
import fc from 'fast-check';

if (process.env.CI) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 });
