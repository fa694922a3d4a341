/** A part of a list. */
export interface Listed<Item> {
  readonly total: number;
  readonly items: readonly Item[];
}

/** How many entries a page of a list has. */
export const PAGE_LENGTH = 50;
