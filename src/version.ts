/** The version of this package, as in its manifest. */
export const VERSION = '0.1.0';
