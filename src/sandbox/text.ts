/** A text in English and in Portuguese. */
export type Text = readonly [english: string, portuguese: string];

/** `true` where a catalogue has the keys of the English one. Else the compiler's message names the file and the keys. */
export type SameKeys<File extends string, English, Other> = [
  Exclude<keyof English, keyof Other> | Exclude<keyof Other, keyof English>,
] extends [never]
  ? true
  : {
      readonly file: File;
      readonly missing: Exclude<keyof English, keyof Other>;
      readonly unknown: Exclude<keyof Other, keyof English>;
    };
