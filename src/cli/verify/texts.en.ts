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
  'run.cause': 'Cause: {cause}',
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
  'run.severalProcesses':
    'several processes answer, each with a memory of its own. Start one of them, or let them share a store, and run verify again.',
  'run.everythingTwice': 'one notification is booked twice, so every other step would fail too.',
  'run.everythingAgain': 'a payment that comes again is booked again, so every other step would fail too.',
  'run.inCents': 'the amounts of `--effects` are in cents.',
  'run.flapping': 'the rows of `--effects` come and go, although nothing is sent',
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
  'step.processes': 'Answers as one listener, with one memory',
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
  'fields.leftOut': 'left out',
  'fields.null': 'null',
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
  'cause.pair': 'it refuses the right credentials.',
  'fix.pair':
    'Give the listener the pair that is in PAYMENTS_API_KEY and PAYMENTS_API_TOKEN here, and compare the `Authorization` header with `Basic ` and the Base64 of key, colon and token (document section 5). Some web servers keep that header from the program (Apache with PHP: `CGIPassAuth On`).',
  'cause.headerCase': 'it compares the name of the header in one case.',
  'fix.headerCase':
    'Names of headers have no case, and behind many proxies `Authorization` comes as `authorization`: look it up by a function that ignores case (`request.headers.get`), not in a dictionary of your own.',
  'cause.mediaType': 'it refuses the media type.',
  'fix.mediaType':
    'Take `application/json` without more: the service sends no charset, and no other type (document section 6.1).',
  'cause.rateLimit': 'its rate limit is used up.',
  'fix.rateLimit':
    'Raise it for the service, or leave its notifications out of it: a refused one comes again five times, and is then lost.',
  'cause.redirects': 'it redirects, and the service does not follow redirects.',
  'fix.redirects':
    'Register the URL that the redirect leads to, with its scheme, host and final slash; keep the query; and put no log-in page in front of it.',
  'cause.needsQuery': 'its route needs a query.',
  'fix.needsQuery':
    'Payments come without a query, other than that of the registered URL (document section 6.2): find the route by the path alone.',
  'cause.readsForm': 'it reads forms, and the service sends JSON.',
  'fix.readsForm':
    'Read the raw body and parse it as JSON (PHP: `json_decode(file_get_contents("php://input"))` in place of `$_POST`; Express: `app.use(express.json())`).',
  'cause.parsesTwice': 'it parses the body twice.',
  'fix.parsesTwice':
    'Take the parsed body as it is (`request.body` after a body parser), or parse the raw body once, but not both.',
  'cause.invalid': 'it finds this payment invalid, and is stricter than the document.',
  'fix.invalid':
    'Its answer or its log names the field. An amount has decimals, and a field that is not marked as required may be missing (document section 6.2).',
  'cause.madeUpSale':
    'it refuses this payment, and not every body: it may ask the service, or look up the order, and the sale is made up.',
  'fix.madeUpSale':
    'If it asks the service, which is right, start the sandbox, point its client there, and pass --sandbox; if it looks up its orders, pass --shop too. Else its log says more.',
  'cause.unknownOrder':
    'it refuses this payment, and not every body, although the sale exists in the sandbox: it may ask another service, or know no such order.',
  'fix.unknownOrder':
    'Point its client at that sandbox (PAYMENTS_BASE_URL). If it looks up its orders, pass --shop, so that your shop creates them. Else its log says more.',
  'cause.refusesPayment': 'it refuses this payment, and not every body, although its shop created the order.',
  'fix.refusesPayment': 'Read its log.',
  'cause.everything':
    'it answers with this error to every body: the process behind the proxy is down or not ready, or something that it needs is away.',
  'fix.everything': 'Look at its health check and its log, and start again once it answers.',
  'cause.body': 'it does not read the JSON body: it fails at every one.',
  'fix.body':
    'Put a body parser in front of it (Express: `app.use(express.json())`), or read the raw body. `createWebhookHandler` works with both. Its log has the error.',
  'cause.path': 'it has no such route.',
  'fix.path': 'Check the path, and that it takes POST.',
  'cause.refusesEverything': 'it refuses every body.',
  'fix.refusesEverything': 'Read its log: it may be stricter than the document, or expect another body.',
  'cause.severalProcesses':
    'several processes answer, each with a memory of its own: each of them books the payment once.',
  'fix.severalProcesses':
    'Keep the keys, and what is booked, in a store that all processes share: a database or Redis, not the memory of a process. `createWebhookHandler` with a shared store does this.',
  'cause.booksTwice': 'it books one notification twice.',
  'fix.booksTwice': 'Look for a handler that is registered twice, or a line that books twice.',
  'cause.inCents': 'the amounts of its rows are in cents.',
  'fix.inCents':
    'Let `--effects` answer amounts in the main unit, as the service sends them: 59.7, not 5970. If that number is also what the shop shows or pays back, it is a hundred times too much.',
  'cause.noKey': 'it keeps no key that the second delivery has too.',
  'fix.noKey':
    'Record the idempotency key of what you have booked, in the same transaction or by a claim before it, and answer 200 to what is recorded (document section 6.1). Make the key from the fields, never from the time or the whole body. `createWebhookHandler` with a store does this.',
  'cause.lateKey': 'it records the key only some time after its answer.',
  'fix.lateKey':
    'Record the key together with the booking, and before the answer: a retry that comes meanwhile is booked again.',
  'cause.recordsBeforeWork':
    'it records the key before the work, which then fails: the retry is a duplicate, and the payment is lost.',
  'fix.recordsBeforeWork':
    'Record the idempotency key together with the work, in one transaction, or give the claim back when the work fails (document section 6.1). `createWebhookHandler` does this.',
  'cause.wholeAmounts': 'it books whole amounts, without cents.',
  'fix.wholeAmounts':
    'Keep amounts with their decimals, or as a whole number of cents: a column of whole numbers cuts them.',
  'cause.truncates': 'it cuts off a cent where it turns an amount into cents.',
  'fix.truncates':
    'Round: `Math.round(amount * 100)`, in Python `round(amount * 100)`. 19.99 * 100 is 1998.9999999999998, and `int` or `Math.trunc` makes it 1998.',
  'cause.refusesCents': 'it takes whole amounts alone, or amounts whose hundredfold is whole.',
  'fix.refusesCents':
    'Round before you compare or convert: `Math.round(amount * 100)`. 19.99 * 100 is 1998.9999999999998: `BigInt` throws, it equals no number of cents, and a schema of integers refuses it.',
  'cause.keyWithoutIdentity': 'it takes two sales of the same amount, day and shopper for one.',
  'fix.keyWithoutIdentity':
    'Make the key from the `saleToken`: amount, date and shopper are no identity (document section 6.1).',
  'cause.refundLikePayment':
    'it takes a refund for a duplicate of its payment, because both have the same `saleToken`.',
  'fix.refundLikePayment':
    'Make the key from kind and identity: a refund has its own `refund.uuid` (document section 6.4). `notification.key` does this.',
  'cause.refundKey': 'it takes the second refund of a sale for a duplicate of the first.',
  'fix.refundKey':
    'Make the key from `refund.uuid`: the refunds of a sale share its `saleToken`, and two of them may have the same amount (document section 6.4).',
  'cause.wholeSale': 'it books the amount of the whole sale as refunded.',
  'fix.wholeSale': 'Book `refund.amount`: `originalAmount` is what the sale has cost (document section 6.4).',
  'cause.queryAlone': 'it knows a refund by its query alone.',
  'fix.queryAlone':
    'Look at the query and at the body, as `parseNotification` does: a body with `refund` is a refund (document section 6.4).',
  'cause.queryAloneBooked': 'it knows a refund by its query alone, and takes one without it for a {kind}.',
  'fix.queryAloneBooked':
    'Look at the query and at the body, as `parseNotification` does: a body with `refund` is a refund, and never a payment (document section 6.4).',
  'cause.otherKind': 'it books a {what} under another kind: {kind}.',
  'fix.otherKind':
    'Tell the kinds apart by query and body: a `saleToken` alone makes no payment (document sections 6.2 to 6.5). In `returned` of `createOrders`, `context.notification.kind` is `refund` or `reversal`.',
  'cause.asPayment': 'it books a {what} as a payment.',
  'fix.asPayment':
    'A payment has no flag of another kind, and `newStatus` is `PAID`: a `saleToken`, a `uuid` or an amount alone makes none (document section 6.2).',
  'cause.takesBack': 'a {what} takes a row of before away.',
  'fix.takesBack':
    'Keep the row of the payment, and book what goes back in a row of its own: a partial refund leaves the rest of the payment.',
  'cause.reversalKey':
    'it takes the end of a reversal for a duplicate of its beginning, because both have the same `uuid`.',
  'fix.reversalKey':
    'Make the key from `uuid` and `status` together: a reversal keeps its `uuid` from PENDING to PAID (document section 6.3). `notification.key` does this.',
  'cause.reopens': 'a late PENDING undoes what is over.',
  'fix.reopens':
    'Answer 200 to a state that is over already, and do not go back to it: a retry comes a minute or more late (document section 6.1).',
  'cause.refusesOvertaken': 'it refuses a state that is over already.',
  'fix.refusesOvertaken':
    'Answer 200 to a state that is over already, and do nothing: what is refused comes five more times (document section 6.1).',
  'cause.failedAsPayout': 'it books a payout that failed.',
  'fix.failedAsPayout': 'Look at `success`: a payout with `false` has paid nothing (document section 6.5).',
  'cause.needsType': 'it knows a payout by `type=payout`, and a failed one has `payout=true` alone.',
  'fix.needsType': 'Either of them makes a payout (document section 6.5).',
  'cause.payoutKey': 'it takes a payout that is paid after all for a duplicate of its failure.',
  'fix.payoutKey':
    'Make the key from `uuid` and `status` together: a payout keeps its `uuid` (document section 6.5). `notification.key` does this.',
  'cause.needsField': 'a {kind} with `{path}` {how} is lost: it needs that field.',
  'fix.needsField':
    'Read fields with care, such as `payload.shopper?.email ?? undefined`: the document does not promise every field (sections 6.2 to 6.5). The types of `parseNotification` show which.',
  'cause.strict': 'it refuses fields that it does not know.',
  'fix.strict':
    'Read the fields that you need, and leave the others alone: the service may add some at any time. No `strict()`, no `additionalProperties: false`.',
  'cause.pieces': 'it reads the first piece of the body alone.',
  'fix.pieces': 'Read the whole body, to the end of the request, before you parse it.',
  'cause.limit': 'it refuses a long body, or cuts it.',
  'fix.limit':
    'Take bodies of 1 MB: the document shows no limit (section 8). Some parsers take 100 KiB (Express: `express.json({ limit: "1mb" })`).',
  'cause.encoding': 'it does not read the body as UTF-8, or counts its bytes as letters.',
  'fix.encoding':
    'Read the body as UTF-8, and take `content-length` for bytes: names, reasons and reference codes have letters such as ã and ç.',
  'cause.decodesPieces': 'it decodes each piece of the body by itself.',
  'fix.decodesPieces':
    'Join the whole body before you decode it (`Buffer.concat`, `setEncoding("utf8")` or a body parser): `body += chunk` breaks a letter such as ã that comes in two pieces.',
  'cause.forgets':
    'it knew this payment a moment ago, and has forgotten it: it remembers for a short time, or the last few only.',
  'fix.forgets':
    'Keep the idempotency key for days at least, where a restart does not lose it: a retry comes minutes later (document section 6.1).',
  'cause.noKeyOfKind': 'it keeps no key for this kind: {kinds}.',
  'fix.noKeyOfKind':
    'Record the idempotency key of every kind that you book, not of payments alone (document section 6.1). `createWebhookHandler` with a store does this.',
  'cause.refusesDuplicates': 'it refuses what it has seen before.',
  'fix.refusesDuplicates':
    'Answer 200 to a duplicate: what is refused comes five more times (document section 6.1).',
  'cause.hashesBody': 'its key is made from the whole body.',
  'fix.hashesBody':
    'Make the key from the fields that identify: the same notification may come with its fields in another order.',
  'cause.noClaim':
    'it looks for the key and records it later, so that two deliveries at the same moment are both new.',
  'fix.noClaim':
    'Claim the key before the work, by a unique index or one statement that only one of them wins. `createWebhookHandler` with a store does this.',
  'cause.losesAtOnce':
    'it answers 200 to each of several payments at the same moment, and loses some: it does nothing while it is busy with another, or two of them write over each other.',
  'fix.losesAtOnce':
    'Answer 503 while you are busy, and the service sends it again (document section 6.1). Let a row be added by one statement, or lock what you read and then write back (in PHP: `flock`).',
  'cause.actsUnasked': 'it asks the service, gets no answer, and books all the same.',
  'fix.actsUnasked':
    'Let `confirmPayment` or `getTransaction` throw, and answer 500 or 503: the service sends the notification again (document section 6.1).',
  'cause.swallows': 'it answers 200 when it cannot ask the service, and then the payment is lost.',
  'fix.swallows':
    'Answer 500 or 503 when the service cannot be asked: it sends the notification again (document section 6.1). Do not catch the error to answer 200.',
  'cause.comparesNoAmount':
    'it asks the service, and does not compare the amount: goods are shipped for a cent.',
  'fix.comparesNoAmount':
    'Confirm with `confirmPayment`: it compares situation, amount, currency and reference code.',
  'cause.comparesNoState': 'it asks the service, and does not look whether the sale is paid.',
  'cause.keepsUnconfirmed':
    'it answers 200 to a payment that the service does not confirm, and then takes the right one for a duplicate.',
  'fix.keepsUnconfirmed':
    'Refuse what the service does not confirm, or keep it apart, and record no key for it: a payment that is confirmed later must be booked.',
  'cause.caches': 'it keeps an old answer of the service: it did not ask again.',
  'fix.caches':
    'Ask about each notification, and cache no answer: a sale that was pending a moment ago is paid now. In Next.js pass `cache: "no-store"`, as `PaymentsClient` does.',
  'cause.keepsLock':
    'after a refused payment it handles no other: a lock or a connection was not given back.',
  'fix.keepsLock': 'Give back in `finally` what you take: locks, connections, a transaction that is open.',
  'cause.secondTakesBack': 'the second payment of an order takes the first one away.',
  'fix.secondTakesBack':
    'Key payments by their `saleToken`, not by the order: both have come, and one must be given back.',
  'cause.secondRefused':
    'it refuses the second payment of an order, so that money comes that nobody knows of.',
  'fix.secondRefused': 'Answer 200, keep it, and let a person look at it.',
  'cause.statusAsPayment': 'it books a sale as paid whatever its `newStatus` is: {list}.',
  'fix.statusAsPayment': 'Only `newStatus` `PAID` means that the sale is paid (document section 6.2).',
  'cause.endsProcess': '{what} ended the process.',
  'fix.endsProcess':
    'Look at the shape of a body before you read its fields, and let no error end the process: the next payments are lost, too.',
  'cause.refusesQuery': 'it refuses every URL with a query, or this one.',
  'fix.refusesQuery':
    'Find the route by the path alone: the service tells reversals, refunds and payouts by a query (document sections 6.3 to 6.5).',
  'cause.booksUnknown': 'it books a body that is of no kind in the document.',
  'fix.booksUnknown':
    'A `saleToken`, a `uuid` or the status PAID alone makes no payment, refund or payout (document sections 6.2 to 6.5). Keep the body, and look at it.',
  'cause.refusesUnknown': 'it refuses bodies of no known kind.',
  'fix.refusesUnknown':
    'Answer 200, keep the body, and look at it: the service may send notifications of the recurring journey, which its document does not show (document section 6.1).',
  'cause.checksNothing': 'it checks no credentials.',
  'fix.checksNothing':
    'Compare the whole `Authorization` header with `Basic ` and the Base64 of key, colon and token, in constant time, and answer 401 before you read anything (document section 5). `createWebhookHandler` does this; in a listener of your own, call `verifyAuthorization`.',
  'cause.checksHeaderAlone': 'it looks whether there is a pair, and not which one.',
  'cause.checksKeyAlone': 'it checks the key alone.',
  'fix.checksKeyAlone':
    'Compare the whole `Authorization` header as it is, with `Basic `, key and token (document section 5). `verifyAuthorization` does this.',
  'cause.checksTokenAlone': 'it checks the token alone.',
  'cause.searchesPair': 'it looks for key and token anywhere in the header.',
  'cause.ignoresCase': 'it compares the credentials in any case.',
  'fix.ignoresCase':
    'Key, token and Base64 are case-sensitive: compare the whole header as it is (document section 5).',
  'cause.shortToken': 'it accepts a token that is only the beginning of the right one.',
  'cause.longToken': 'it accepts whatever begins with the right token.',
  'cause.splits': 'it splits the pair at each colon, and takes the first two parts.',
  'cause.anyScheme': 'it does not look at the scheme.',
  'cause.ownPairEmpty': 'it accepts an empty pair: its own may be unset.',
  'fix.ownPairEmpty': 'Refuse to start without credentials: `undefined` equals what is not sent.',
  'cause.letsNoneIn': 'it checks credentials only where there are some.',
  'fix.letsNoneIn': 'A request without `Authorization` must get 401 (document section 5).',
  'cause.goesOn': 'it answers 401 and books all the same.',
  'fix.goesOn': 'Return after the 401, before you do anything else.',
  'cause.acceptsForged': 'it answers with success to wrong credentials, though it books nothing.',
  'fix.acceptsForged':
    'Answer 401: with 200, nobody notices that the credentials of the service are wrong, and its payments are lost. In PHP, output before the status makes it 200.',
  'cause.redirectsForged': 'it redirects whoever has no credentials.',
  'fix.redirectsForged': 'Answer 401: a listener has no log-in page.',
  'cause.hangsOnForged': 'it leaves wrong credentials without an answer.',
  'fix.hangsOnForged': 'Answer 401 if they differ: connections that hang use up the listener.',
  'cause.crashesOnForged': 'it fails where it reads wrong credentials.',
  'fix.crashesOnForged': 'A missing or broken `Authorization` header is usual on the internet: answer 401.',
  'cause.paymentsAlone': 'it checks the credentials of payments alone.',
  'fix.paymentsAlone': 'Check them before you look at the kind: a forged refund closes an order.',
  'cause.otherMethods': 'it checks no credentials of these methods: {list}.',
  'fix.otherMethods': 'Take POST alone, and check the credentials before you look at the method.',
  'cause.forgetsAtRestart': 'it forgets at a restart what it has booked.',
  'fix.forgetsAtRestart':
    'Keep the keys where the bookings are, in the database, not in the memory of the process.',
  'cause.only200': 'it accepts with another status than 200.',
  'fix.only200':
    'The service knows no other success: after 202 or 204 it sends the notification again, five times (document section 6.1).',
  'cause.slow': 'it answers too late.',
  'fix.slow':
    'Write the notification to a queue or a table, answer 200, and do the work afterwards. The document does not say how long the service waits; choose a time with --limit.',
  'cause.worksLater':
    'it answers 200 and works afterwards: if the process ends between, the payment is lost.',
  'fix.worksLater':
    'Answer after the work, or after a durable write of it, which `--effects` shows as a row of kind `inbox`. Await what you start.',
  'cause.leaks': 'its response shows the credentials.',
  'fix.leaks':
    'Answer with a fixed text: never send headers, the expected value or an error with the request in it. Change the credentials if the listener was public.',
};
