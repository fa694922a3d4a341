/** A text in English and in Portuguese. */
export type Text = readonly [english: string, portuguese: string];
