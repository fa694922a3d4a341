/**
 * How many decimals each currency has, by ISO 4217's list of active codes. Not from `Intl`, which follows the cash that
 * is in use and gives 0 for COP and HUF. Codes without a minor unit (gold, test codes) are left out.
 */
const codesByDecimals: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF ' +
    'CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG ' +
    'HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK ' +
    'MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE ' +
    'SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

/** The decimals of a currency, or `undefined` for a code that ISO 4217 does not list with a minor unit. */
export function currencyDecimals(code: string): number | undefined {
  for (const [decimals, codes] of Object.entries(codesByDecimals)) {
    if (CODE.test(code) && codes.includes(code)) return Number(decimals);
  }
  return undefined;
}

/** The shape of an ISO 4217 code. */
export function isCurrencyCode(code: string): boolean {
  return CODE.test(code);
}

/** How many decimals a number shows when it is written into JSON. */
export function decimalsOf(amount: number): number {
  const [digits = '', exponent = '0'] = String(amount).split('e');
  const fraction = digits.split('.')[1] ?? '';
  return Math.max(0, fraction.length - Number(exponent));
}

const CODE = /^[A-Z]{3}$/;
