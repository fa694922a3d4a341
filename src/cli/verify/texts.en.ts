/** What `verify` says, in English. The Portuguese catalogue has the same keys, or it does not compile. */
export const en = {
  'run.noJourneyOfShop':
    'Expected a POST to `--shop` to create a journey in the sandbox ({status}). Does the shop talk to that sandbox?',
  'run.noAnswer': 'no answer',
  'run.effectsAnswer':
    'Expected `--effects` to answer 200 with the rows that the listener has booked, such as [{"kind": "payment", "subject": "…", "amount": 59.7}], or with counts, such as {"payment": 7}: JSON of at most 4 MiB, without a redirect.',
  'run.effectsCertificate':
    'The certificate of the `--effects` URL is not trusted ({code}). For a certificate of your own in a test environment, set NODE_EXTRA_CA_CERTS, or let the URL answer over http on this machine.',
  'run.effectsProtocol':
    'The URL of `--effects` speaks another protocol ({code}): it is https here and plain http there, or the reverse.',
  'run.effectsUnreachable':
    'The URL of `--effects` cannot be reached ({code}). Is the listener running, and are its host and port right?',
  'run.notChecked': '{title}: not checked',
  'run.fix': 'Fix: {fix}',
  'run.counts':
    '{passed} held, {failed} failed, {open} not checked; {sent} {sent:notification|notifications} sent.',
  'run.ended': 'The run ended here: {reason}',
  'run.exit3': 'Not checked is not passed: exit code 3. --partial accepts it.',
  'run.notSeen': 'What this run cannot see:',
  'run.progress': 'step {number}',
  'run.firstNotAccepted': 'the first payment was not accepted, so nothing else could be judged.',
  'run.firstNotBooked': 'the first payment was accepted and no row came, so nothing else could be judged.',
  'run.notBookedHow':
    'Does `--effects` read what the listener writes? If the listener acts later, raise --effects-wait; if it acts only on orders of its own, pass --shop, so that your shop creates them.',
  'run.notBookedHowShop':
    'Does `--effects` read what the listener writes, and does the listener act within --effects-wait?',
  'run.everythingTwice': 'one notification is booked twice, so every other step would fail too.',
  'run.everythingAgain': 'a payment that comes again is booked again, so every other step would fail too.',
  'run.inCents': 'the amounts of `--effects` are in cents.',
  'run.thenGone': '{what} ended the connection without an answer.',
  'run.rateLimit':
    'the listener has a rate limit (HTTP 429 after {count} {count:notification|notifications}): raise it while verify runs.',
  'run.timeouts': 'no response came {count} times in a row.',
  'run.nobodyLeft': 'nothing listens any more.',
  'run.withoutEffects': 'responses do not show what the listener books: pass --effects',
  'run.withoutField': 'the rows of `--effects` have no `{field}`',
  'run.sameRow':
    'the {kind} had a row already when it was PENDING, so nobody can see whether its end was taken in: let `--effects` answer those alone that are PAID',
  'run.kindNotBooked':
    'no row of kind `{kind}` has ever come. If your listener does nothing about it, leave it out of --kinds; else it is lost',
  'run.restartAsk': 'Restart your listener now, and press Enter when it answers again.',
  'run.restartNobody': 'nobody pressed Enter: --restart needs a terminal, or a line on its standard input',
  'begin.sandbox':
    'The sandbox could not make a paid sale: {message} Is it running, quick enough, and of the same version as this command?',
  'begin.nobody':
    'Nothing listens at the URL of the listener ({code}). Start the listener, and check host and port.',
  'begin.protocol':
    'One side speaks plain http and the other https ({code}): change the scheme in the URL of the listener, or its port.',
  'begin.certificate':
    'The certificate of the listener is not trusted ({code}: expired, self-signed, of another host name, or without its chain), and the service may refuse it too. For a certificate of your own in a test environment, set NODE_EXTRA_CA_CERTS.',
  'step.first': 'Accepts and books a payment',
  'step.again': 'Books a payment once that comes three times',
  'step.cents': 'Books amounts to the cent',
  'step.shopAmounts': 'Books payments of the amounts that the shop chooses',
  'step.alike': 'Books two sales of the same amount, day and shopper',
  'step.refund': 'Books a partial refund of a sale that was paid',
  'step.secondRefund': 'Books a second refund of that sale, of the same amount, without `amountRefunded`',
  'step.refundNoQuery': 'Books a refund that comes without its query, which gateways may drop',
  'step.reversal': 'Books a reversal PAID whose PENDING was lost',
  'step.reversalBegins': 'Accepts a reversal PENDING',
  'step.reversalEnds': 'Books the same reversal PAID',
  'step.latePending': 'Leaves a reversal as it is when its PENDING comes late',
  'step.reversalCancelled': 'Accepts a reversal CANCELLED',
  'step.payout': 'Books a payout',
  'step.failedPayout': 'Books nothing for a payout that failed',
  'step.payoutAfterFailed': 'Books the same payout when it is paid after all',
  'step.leftOut': 'Takes a {kind} without the fields that the document does not promise',
  'step.nulls': 'Takes a {kind} with null in their place, and with unknown fields',
  'step.split': 'Reads a body that comes in two pieces',
  'step.long': 'Reads a body of 150 KB',
  'step.letters': 'Reads letters such as ã in a name',
  'step.reference': 'Reads letters such as ã in a reference code',
  'step.cutLetter': 'Reads a letter whose bytes come in two pieces',
  'step.allAgain': 'Books nothing when a payment, refund, reversal and payout of before come again',
  'step.reordered': 'Books nothing when they come with their fields in another order',
  'step.fiveAtOnce': 'Books a payment once that comes five times at the same moment',
  'step.refundAtOnce': 'Books a refund once that comes three times at the same moment',
  'step.payoutAtOnce': 'Books a payout once that comes three times at the same moment',
  'step.threeAtOnce': 'Books each of three payments that come at the same moment',
  'step.unasked': 'Keeps a payment for later while the service cannot be asked about it',
  'step.wrongAmount': 'Books nothing for a payment of 0.01 that the service does not confirm',
  'step.rightAmount': 'Books the right payment of that sale after the wrong one',
  'step.unpaid': 'Books nothing for a sale that nobody has paid',
  'step.paidSince': 'Books that sale once it is paid',
  'step.afterRefused': 'Books another sale after all that',
  'step.unconfirmed': 'Asks the service about a payment before it is booked',
  'step.secondPayment': 'Takes a second payment of an order, and leaves the first as it is',
  'step.statuses': 'Books nothing for a sale that is REVERSAL, PENDING or SANDBOX',
  'step.lateSale': 'Leaves a payment as it is when the PENDING of its sale comes late',
  'step.unknownKinds': 'Accepts bodies of no kind in the document, and books nothing for them',
  'step.afterUnknown': 'Books a payment after them',
  'step.headerName': 'Finds the credentials under `authorization`, in lower case',
  'step.pairs': 'Refuses wrong credentials and none, and books nothing',
  'step.kindsWithoutPair': 'Refuses every other kind without credentials',
  'step.methods': 'Books nothing that comes by PUT or GET without credentials',
  'step.restart': 'Knows a payment of before after a restart',
  'step.newAfterRestart': 'Books a new payment after a restart',
  'step.status': 'Accepts with 200 and with no other status',
  'step.prompt': 'Answers within --limit',
  'step.workFirst': 'Has booked what it answers 200 to',
  'step.secrets': 'Puts no credentials into its responses',
  'sent.payment': 'a payment',
  'sent.again': 'once more',
  'sent.amount': 'a payment of R$ {amount}',
  'sent.refund': 'a partial refund',
  'sent.secondRefund': 'a second partial refund',
  'sent.refundNoQuery': 'a refund without its query',
  'sent.reversal': 'a reversal PAID',
  'sent.pending': 'a reversal PENDING',
  'sent.latePending': 'the PENDING of a reversal that is PAID',
  'sent.cancelled': 'a reversal CANCELLED',
  'sent.payout': 'a payout',
  'sent.failedPayout': 'a payout that failed',
  'sent.payoutAfterFailed': 'the same payout, PAID',
  'sent.leftOut': 'a {kind} without optional fields',
  'sent.null': 'a {kind} with null and unknown fields',
  'sent.split': 'a payment in two pieces',
  'sent.long': 'a payment of {bytes} bytes',
  'sent.letters': 'a payment of João',
  'sent.reference': 'a payment with ã in its reference code',
  'sent.cutLetter': 'a payment with ã in its reference code, cut within that letter',
  'sent.reordered': 'once more, with its fields in another order',
  'sent.unasked': 'a payment while the transaction query answers 503',
  'sent.askedAgain': 'the payment again, now that the query answers',
  'sent.wrongAmount': 'a payment of 0.01, which is not what the sale costs',
  'sent.unpaid': 'a payment of a sale that nobody has paid',
  'sent.secondPayment': 'a payment of an order that was paid before, by another sale',
  'sent.status': 'a sale with the newStatus {status}',
  'sent.lateSale': 'the PENDING of a sale that is paid',
  'sent.unknownFlag': 'a body of no known kind with an unknown flag',
  'sent.unknownToken': 'a body of no known kind with a `saleToken`',
  'sent.unknownPaid': 'a body of no known kind with the status PAID',
  'sent.lowerCase': 'a payment with the pair under `authorization`',
  'sent.noPair': 'a {kind} without credentials',
  'sent.method': 'a payment by {method}, without credentials',
  'sent.afterRestart': 'the first payment, after the restart',
  'kind.payment': 'payment',
  'kind.refund': 'refund',
  'kind.reversal': 'reversal',
  'kind.payout': 'payout',
  'kind.unknown': 'body of no known kind',
  'pair.none': 'no credentials',
  'pair.empty': 'an empty pair',
  'pair.wrongKey': 'wrong key, right token',
  'pair.wrongToken': 'right key, wrong token',
  'pair.shortToken': 'token without its last character',
  'pair.longToken': 'token with one character more',
  'pair.thirdPart': 'right pair and a third part after a colon',
  'pair.tokenCase': 'token in another case',
  'pair.keyCase': 'key in another case',
  'pair.lowerBase64': 'Base64 in lower case',
  'pair.bearer': 'right pair under the scheme Bearer',
  'pair.noScheme': 'right pair without a scheme',
  'answer.refused': 'refused: {what}: {answer}',
  'answer.redirected': 'redirected, which the service does not follow: {what}: {answer}',
  'answer.silent': 'no answer: {what}: {answer}',
  'answer.broken': 'no answer, and the connection ended: {what}: {answer}',
  'answer.gone': 'nothing listens any more: {what}: {answer}',
  'answer.letIn': 'accepted, and must not be: {what}: {answer}',
  'answer.notRefused': 'answered with another status than 401 or 4xx: {what}: {answer}',
  'row.missing': 'missing: {kind} {amount} of {subject}',
  'row.doubled': '{times} rows in place of one: {kind} {amount} of {subject}',
  'row.amount': 'wrong amount, {got} in place of {amount}: {kind} of {subject}',
  'row.kind': 'booked as another kind: {kind} {amount} of {subject}',
  'row.again': 'booked again: {kind} {amount} of {subject}',
  'row.unexpected': 'booked, and must not be: {kind} {amount} {subject}',
  'row.takenBack': 'taken back: {kind} {amount} of {subject}',
  'confirms.needsSales': 'these steps need sales that exist: pass --sandbox',
  'confirms.doesNotAsk':
    'your listener books payments without asking the service about them, so whoever has the credentials names the amount',
  'confirms.actedUnasked': 'a payment was booked while the transaction query answered 503',
  'answers.status': '{what}: {answer}',
  'answers.late':
    '{late} of {all} {all:response|responses} took longer than {limitMs} ms; the slowest: {what} after {durationMs} ms',
  'answers.early': '{late} times the rows came only after the 200',
  'answers.token': 'the token is in the response to {what}',
  'answers.key': 'the key is in the response to {what}',
  'answers.base64': 'the Base64 of both is in the response to {what}',
  'notSeen.processes':
    'several processes that come and go, and two that get the same notification at the same moment.',
  'notSeen.keys':
    'keys that expire after minutes or days: the service sends a notification again for minutes, and nothing says that none comes later.',
  'notSeen.database': 'a database that fails between the booking and its commit.',
  'notSeen.restart': 'what the listener still knows after a restart: pass --restart.',
  'notSeen.orders': 'orders: which payment an order expects, and a second payment of it: pass --shop.',
  'notSeen.secondPayment': 'whether the second payment of an order, which has no row, reaches a person.',
  'fix.pair':
    'Give the listener the pair that is in PAYMENTS_API_KEY and PAYMENTS_API_TOKEN here, and compare the `Authorization` header with `Basic ` and the Base64 of key, colon and token (document section 5). Some web servers keep that header from the program (Apache with PHP: `CGIPassAuth On`).',
  'fix.headerCase':
    'Names of headers have no case, and behind many proxies `Authorization` comes as `authorization`: look it up by a function that ignores case (`request.headers.get`), not in a dictionary of your own.',
  'fix.mediaType':
    'Take `application/json` without more: the service sends no charset, and no other type (document section 6.1).',
  'fix.rateLimit':
    'Raise it for the service, or leave its notifications out of it: a refused one comes again five times, and is then lost.',
  'fix.madeUpSale':
    'If it asks the service, which is right, start the sandbox, point its client there, and pass --sandbox; if it looks up its orders, pass --shop too. Else its log says more.',
  'fix.body':
    'Put a body parser in front of it (Express: `app.use(express.json())`), or read the raw body. `createWebhookHandler` works with both. Its log has the error.',
  'fix.path': 'Check the path, and that it takes POST.',
  'fix.noKey':
    'Record the idempotency key of what you have booked, in the same transaction or by a claim before it, and answer 200 to what is recorded (document section 6.1). Make the key from the fields, never from the time or the whole body. `createWebhookHandler` with a store does this.',
  'fix.truncates':
    'Round: `Math.round(amount * 100)`, in Python `round(amount * 100)`. 19.99 * 100 is 1998.9999999999998, and `int` or `Math.trunc` makes it 1998.',
  'fix.keyWithoutIdentity':
    'Make the key from the `saleToken`: amount, date and shopper are no identity (document section 6.1).',
  'fix.refundLikePayment':
    'Make the key from kind and identity: a refund has its own `refund.uuid` (document section 6.4). `notification.key` does this.',
  'fix.refundKey':
    'Make the key from `refund.uuid`: the refunds of a sale share its `saleToken`, and two of them may have the same amount (document section 6.4).',
  'fix.queryAloneBooked':
    'Look at the query and at the body, as `parseNotification` does: a body with `refund` is a refund, and never a payment (document section 6.4).',
  'fix.otherKind':
    'Tell the kinds apart by query and body: a `saleToken` alone makes no payment (document sections 6.2 to 6.5). In `returned` of `createOrders`, `context.notification.kind` is `refund` or `reversal`.',
  'fix.reversalKey':
    'Make the key from `uuid` and `status` together: a reversal keeps its `uuid` from PENDING to PAID (document section 6.3). `notification.key` does this.',
  'fix.reopens':
    'Answer 200 to a state that is over already, and do not go back to it: a retry comes a minute or more late (document section 6.1).',
  'fix.failedAsPayout': 'Look at `success`: a payout with `false` has paid nothing (document section 6.5).',
  'fix.payoutKey':
    'Make the key from `uuid` and `status` together: a payout keeps its `uuid` (document section 6.5). `notification.key` does this.',
  'fix.needsField':
    'Read fields with care, such as `payload.shopper?.email ?? undefined`: the document does not promise every field (sections 6.2 to 6.5). The types of `parseNotification` show which.',
  'fix.strict':
    'Read the fields that you need, and leave the others alone: the service may add some at any time. No `strict()`, no `additionalProperties: false`.',
  'fix.pieces': 'Read the whole body, to the end of the request, before you parse it.',
  'fix.limit':
    'Take bodies of 1 MB: the document shows no limit (section 8). Some parsers take 100 KiB (Express: `express.json({ limit: "1mb" })`).',
  'fix.encoding':
    'Read the body as UTF-8, and take `content-length` for bytes: names, reasons and reference codes have letters such as ã and ç.',
  'fix.decodesPieces':
    'Join the whole body before you decode it (`Buffer.concat`, `setEncoding("utf8")` or a body parser): `body += chunk` breaks a letter such as ã that comes in two pieces.',
  'fix.noKeyOfKind':
    'Record the idempotency key of every kind that you book, not of payments alone (document section 6.1). `createWebhookHandler` with a store does this.',
  'fix.hashesBody':
    'Make the key from the fields that identify: the same notification may come with its fields in another order.',
  'fix.noClaim':
    'Claim the key before the work, by a unique index or one statement that only one of them wins. `createWebhookHandler` with a store does this.',
  'fix.losesAtOnce':
    'Answer 503 while you are busy, and the service sends it again (document section 6.1). Let a row be added by one statement, or lock what you read and then write back (in PHP: `flock`).',
  'fix.swallows':
    'Answer 500 or 503 when the service cannot be asked: it sends the notification again (document section 6.1). Do not catch the error to answer 200.',
  'fix.comparesNoAmount':
    'Confirm with `confirmPayment`: it compares situation, amount, currency and reference code.',
  'fix.keepsUnconfirmed':
    'Refuse what the service does not confirm, or keep it apart, and record no key for it: a payment that is confirmed later must be booked.',
  'fix.keepsLock': 'Give back in `finally` what you take: locks, connections, a transaction that is open.',
  'fix.secondTakesBack':
    'Key payments by their `saleToken`, not by the order: both have come, and one must be given back.',
  'fix.statusAsPayment': 'Only `newStatus` `PAID` means that the sale is paid (document section 6.2).',
  'fix.endsProcess':
    'Look at the shape of a body before you read its fields, and let no error end the process: the next payments are lost, too.',
  'fix.refusesUnknown':
    'Answer 200, keep the body, and look at it: the service may send notifications of the recurring journey, which its document does not show (document section 6.1).',
  'fix.checksNothing':
    'Compare the whole `Authorization` header with `Basic ` and the Base64 of key, colon and token, in constant time, and answer 401 before you read anything (document section 5). `createWebhookHandler` does this; in a listener of your own, call `verifyAuthorization`.',
  'fix.paymentsAlone': 'Check them before you look at the kind: a forged refund closes an order.',
  'fix.otherMethods': 'Take POST alone, and check the credentials before you look at the method.',
  'fix.forgetsAtRestart':
    'Keep the keys where the bookings are, in the database, not in the memory of the process.',
  'fix.only200':
    'The service knows no other success: after 202 or 204 it sends the notification again, five times (document section 6.1).',
  'fix.slow':
    'Write the notification to a queue or a table, answer 200, and do the work afterwards. The document does not say how long the service waits; choose a time with --limit.',
  'fix.worksLater':
    'Answer after the work, or after a durable write of it, which `--effects` shows as a row of kind `inbox`. Await what you start.',
  'fix.leaks':
    'Answer with a fixed text: never send headers, the expected value or an error with the request in it. Change the credentials if the listener was public.',
};
