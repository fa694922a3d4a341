/** A part of a list. */
export interface Listed<Item> {
  readonly total: number;
  readonly items: readonly Item[];
}

/** How many entries a page of a list has. */
export const PAGE_LENGTH = 50;

/** The state of a journey, as people see it: one without an immediate payment is authorized before it is paid. */
export function statusOf(journey: { situation: 'PENDING' | 'CANCELLED' | 'PAID'; isAuthorized: boolean }) {
  return journey.situation === 'PENDING' && journey.isAuthorized ? 'AUTHORIZED' : journey.situation;
}

/** How the notifications of a sale go wrong: one is still tried again, or was given up. */
export type Trouble = 'failing' | 'given-up';
