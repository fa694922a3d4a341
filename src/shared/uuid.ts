/** A UUID that is the whole of a text, or a part of one between colons and slashes, such as of a key. */
const UUID = /(?<![^:/])[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}(?![^:/~])/gi;

/** One spelling of an identity, to compare it and to make keys of it: upper and lower case mean the same UUID. */
export function oneSpelling(id: string): string {
  // Nearly every notification has a UUID in lower case, and the search for it costs a fifth of reading the notification.
  if (id.toLowerCase() === id) return id;
  return id.replace(UUID, (uuid) => uuid.toLowerCase());
}

/** Whether two identities are one. */
export function isSameId(one: string | null | undefined, other: string | null | undefined): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return false;
  return one === other || oneSpelling(one) === oneSpelling(other);
}
