/**
 * What the library has decided where the design says nothing, or can be read in two ways. The oracle knows these by their
 * names, and nothing else of the library: any other difference fails the run. None of them lets money be booked twice, at a
 * sum that the service does not state, or be answered 200 and kept nowhere: `Money` in sequences.ts looks at that by itself.
 */
export const READINGS = {
  'unknown sale': 'A sale that the service does not know (404) could not be asked about: `confirm_failed`.',
  'kept reason':
    'A case that the service has confirmed before keeps its reason when another body of it is not confirmed.',
  'fitting row': 'Where several rows of a table fit a case, each of their reasons will do.',
  'paid by a charge':
    'The own sale of an attempt that a charge has paid is a later charge if its sum is that of one, else `other_amount` and no own money; `other_sale` if its body names another attempt.',
  'elsewhere authorized':
    'A sale that names one attempt while another one is authorized is `authorized_twice` in its ordinary form, too.',
  'own charge':
    'The first charge of a journey without an immediate payment is own money once `paid` has failed on it.',
  'unconfirmed dismissal':
    'What was dismissed as not confirmed is asked about again by a delivery, and acted on once the service confirms it.',
  'proof by a person':
    'A charge that a person books needs its transaction alone: its recurrence is not asked about.',
  'contradicted return':
    'A return that was told as `CANCELLED` and then as `PAID`, or in its other form with another sale or sum, or an unclear one, is `unclear_amount`.',
  'order of a failed booking':
    'A case of no order keeps the order that a person has named, if booking it for that order fails.',
  'sale of a case': 'A return without a reference belongs to the order that the case of its sale belongs to.',
  'event again':
    'An event of a recurrence moves no money: one that comes again late, or changed, is an ordinary repeat.',
  'after the end':
    'What has ended authorizes nothing: a charge that was scheduled or failed after the end runs, and leaves the attempt as it is.',
  'paid and over':
    'An attempt whose recurrences are all over is not charged any more, though it is paid: another one is not a second.',
  'approved before':
    'An event of an attempt that is authorized runs, although the newest request has another price: it was approved before.',
  'book of an event':
    '`book` of a case of an event is refused while it is one; once its order has changed, it does what the next `maintain` would.',
  'first of an order':
    'The first payment that a person books for an order is its first, a repeat of nobody’s money too.',
  'refunds of a repeat':
    'A repeat of a booked sale that a person books records no refund: each was told with the first payment, or by itself.',
  'return of a lost charge':
    'A return of no order waits for the next search for lost events, two days at most: its sale may be a charge that nobody has told of.',
  'sum of a repeat':
    'A person books a repeat at the sum that its body says only if that is one of a later charge, or the service’s.',
  'order of an early return':
    'A return that came early may go on being shown with the order that it first led to, or with none.',
  'currency of a return': 'A person who says how much went back may know another currency than its body.',
  'stated refund':
    'A refund that the confirmation tells of is run by `maintain` at that sum, also if its own notification is a case.',
  'decided repeat': 'A repeat that a person has decided opens no case again on that day.',
  'refused once':
    'A recurrence has one case, that of its first refused event, whatever the reasons are later.',
  'cancelled and replaced':
    '`open` knows from its question that nothing is paid: what is cancelled is `expired`, until `maintain` asks.',
  'cancelled without payment':
    'The cancelled transaction of a journey without an immediate payment leaves its attempt `expired`: its recurrence may still be approved.',
  'over and same price':
    'Another price for a QR code that is over is an `OrderConflictError` without `replace`, as for one that is not.',
  'replace by the same': '`replace` makes room for another price only.',
  'failed refunds':
    'The refunds that the confirmation tells of may be recorded before a `paid` that fails, or not (in a transaction).',
  'failed return': 'A return is recorded before its callback under a lease, and not if a transaction fails.',
  'order of early returns': 'Returns that came early run in any order, and each counts the others.',
  'order of questions': 'Two attempts that are found paid in one run are asked about in any order.',
} as const;

export type Reading = keyof typeof READINGS;

/** Takes one of several readings of the design, by name. The first is the likely one. */
export type Choose = <Taken>(about: Reading, readings: readonly [Taken, ...Taken[]]) => Taken;
