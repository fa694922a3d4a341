/** Which journey a line of the log is about, where that is known. */
export interface JourneyIdentity {
  /** Transaction UUID. */
  readonly uuid?: string;
  /** Your order identifier. */
  readonly referenceCode?: string;
}

/** The transaction that a notification is about: `saleToken`, or the `sale` of a reversal; of a payout, its own UUID. */
export function journeyOfPayload(payload: object): JourneyIdentity {
  const { saleToken, sale, uuid, referenceCode } = payload as Readonly<Record<string, unknown>>;
  const saleUUID = typeof sale === 'object' && sale !== null && 'uuid' in sale ? sale.uuid : undefined;
  return identity(saleToken ?? saleUUID ?? uuid, referenceCode);
}

/** The transaction that a JSON answer is about: the checkout has it in `response`, the query at the top. */
export function journeyOfAnswer(body: string | Uint8Array): JourneyIdentity {
  try {
    const parsed = JSON.parse(String(body));
    const { uuid, referenceCode } = parsed?.response ?? parsed ?? {};
    return identity(uuid, referenceCode);
  } catch {
    return {};
  }
}

function identity(uuid: unknown, referenceCode: unknown): JourneyIdentity {
  return {
    ...(typeof uuid === 'string' ? { uuid } : {}),
    ...(typeof referenceCode === 'string' ? { referenceCode } : {}),
  };
}
