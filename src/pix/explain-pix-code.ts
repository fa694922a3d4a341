import { CODES, type PixCodeContext, type PixCodeParty, SOURCE } from './codes';
import { inLocale, type PixLocale } from './locale';

/** What a code of Pix means, and who can do something about it. */
export interface PixCodeExplanation {
  /** The code, as asked for. */
  readonly code: string;
  /** What it means. */
  readonly meaning: string;
  /**
   * Only for a refused `charge`: `true` if the code ends the charge for good. `false` means that only one attempt
   * ended, and does not allow you to charge again: some of these codes mean that the charge is already paid. `action`
   * says what to do.
   */
  readonly endsCharge?: boolean | undefined;
  /** Who can do something about it. */
  readonly who: PixCodeParty;
  /** What they can do: this library's advice, not the source's. */
  readonly action: string;
  /** Where the code is listed, with its version. */
  readonly source: string;
}

/**
 * Explains a code that a bank gave. The codes are facts of Pix; the service's document does not mention them, so the
 * library refuses nothing because of them. Returns `undefined` for a code that is not listed for the context.
 *
 * @param code - such as `AM02`
 * @param context - where it was seen: `charge` (a refused recurring charge), `charge-cancelled`, `return` or `payout`
 * @param locale - `pt-BR` (the default) or `en`
 */
export function explainPixCode(
  code: string,
  context: PixCodeContext,
  locale: PixLocale = 'pt-BR',
): PixCodeExplanation | undefined {
  const codes = Object.hasOwn(CODES, context) ? CODES[context] : {};
  const row = Object.hasOwn(codes, code) ? codes[code] : undefined;
  if (row === undefined) return undefined;
  const [en, pt, [who, actionEn, actionPt], ends] = row;
  return {
    code,
    meaning: inLocale([en, pt], locale),
    ...(context === 'charge' ? { endsCharge: ends !== undefined } : {}),
    who,
    action: inLocale([actionEn, actionPt], locale),
    source: SOURCE,
  };
}
