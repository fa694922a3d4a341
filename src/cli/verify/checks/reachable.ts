import { type Sentence, say } from '../../language';
import { type CheckDefinition, type Findings, isRedirect, REDIRECTS } from '../check';
import { UNTRUSTED, WRONG_SCHEME } from '../effects';
import { type Exchange, fingerprint, type Session } from '../session';

/** Comes first: without it no other check can say anything. */
export const reachable: CheckDefinition = {
  id: 'reachable',
  title: 'Can be reached, and accepts a payment with the right credentials',
  asks: 'A payment notification with the right credentials, as the service sends it.',
  why: 'A listener that accepts nothing learns of no payment: after six attempts each notification is lost.',
  fix: 'Start the listener, and check the URL and its port. For a certificate of your own, set NODE_EXTRA_CA_CERTS.',
  async run(findings, session) {
    const { payment } = await session.sale();
    const exchange = await session.send(say('a payment'), payment);
    const { reception } = exchange;
    if (reception === 'silent') findings.leaveOpen(exchange);
    if (reception === 'gone' || reception === 'broken')
      findings.fail(exchange, {}, ...adviceForError(exchange.error));
    if (reception === 'refused') {
      const advice = await adviceFor(exchange, session, JSON.stringify(payment.payload));
      findings.fail(exchange, {}, ...advice);
      await addProbes(findings, exchange, session);
    }
  },
};

const PARSED_TWICE =
  'It parses the body twice. Take the parsed body as it is (`request.body` after a body parser), or parse the raw body once, but not both. `toNodeListener` takes either.';

export const HEADER_NAME =
  'It compares the name of the header in one case. Names of headers have no case: the document writes `Authorization`, and over HTTP/2 and behind many proxies it comes as `authorization`. Look it up by a function that ignores case (`request.headers.get`, in Python `self.headers.get`), not in a dictionary of your own.' satisfies Sentence;

const NOT_READY =
  'It answers with an error to everything, whatever the body is (502, 503, 504: the process behind the balancer or proxy is down, not ready or overloaded, or it refuses everything while something that it needs is away, such as its database). Look at its health check and its log, and start again once it answers.' satisfies Sentence;

const STRICTER =
  'It finds the payload invalid, and is stricter than the document: its answer or its log names the field. An amount has decimals, and a field that is not marked as required may be missing (document section 6.2).' satisfies Sentence;

function adviceForError(error = ''): Sentence[] {
  if (WRONG_SCHEME.test(error)) {
    return [
      'One side speaks plain http and the other https: the listener speaks plain http behind an https URL, or the reverse.',
    ];
  }
  if (UNTRUSTED.test(error)) {
    return [
      "The listener's certificate is not trusted (expired, self-signed, of another host name, or without its chain), and the service may refuse it too. For a certificate of your own in a test environment, set NODE_EXTRA_CA_CERTS.",
    ];
  }
  return [];
}

const forStatus: Readonly<Record<number, Sentence>> = {
  401: 'Give the listener the pair that is in PAYMENTS_API_KEY and PAYMENTS_API_TOKEN here (document section 5). It compares the `Authorization` header with `Basic ` and the Base64 of key, colon and token. If the pair is the same, look at how it reads the header: Node lists it as `request.headers.authorization`, in lower case.',
  415: 'It refuses the media type. The service sends `application/json`, without more: no charset, and no other type (document section 6.1).',
  429: 'Its rate limit is used up: raise it for the service, or leave its notifications out of it. A refused one comes again after a minute, five times.',
};

async function adviceFor(exchange: Exchange, session: Session, body: string): Promise<Sentence[]> {
  const { httpStatus = 0, text } = exchange;
  if (isRedirect(exchange)) return [REDIRECTS];
  const isUnauthorized = httpStatus === 401 || httpStatus === 403;
  if (isUnauthorized && (await isLowerCaseOnly(session, body))) return [HEADER_NAME];
  const known = forStatus[httpStatus === 403 ? 401 : httpStatus];
  if (known !== undefined) return [known];
  if (text.includes('[object Object]') || (await isParsedTwice(session, body))) return [PARSED_TWICE];
  if (fingerprint(await session.probe('this is no JSON')) === fingerprint(exchange) && httpStatus >= 500) {
    if (httpStatus > 500) return [NOT_READY];
    return [
      "It does not read the JSON body. Put a body parser in front of it (Express: `app.use(express.json())`), or read the raw body. `toNodeListener` works with and without a body parser. The listener's log has the error.",
    ];
  }
  const isLost = httpStatus === 404 || httpStatus === 405;
  if (isLost && (await session.probe(body, 'type=payment')).reception === 'accepted') {
    return [
      'Its route needs a query, and payments come without a query, other than that of the registered URL (document section 6.2).',
    ];
  }
  const isInvalid = httpStatus === 400 || httpStatus === 422;
  return [
    isLost
      ? 'Check the path, and that it takes POST.'
      : isInvalid
        ? STRICTER
        : "Look into the listener's log.",
    session.hasRealSales
      ? 'The sale exists in the sandbox: if the listener confirms payments, point its client at that sandbox; if it looks up its own orders, pass --shop, so that your shop creates them.'
      : 'The sale was made up. If the listener confirms payments or looks up orders, which is right, start the sandbox, point the client of the listener at it, and pass --sandbox here: then the sales exist. A fault that is still armed in that sandbox also makes it refuse: `fault --clear`.',
  ];
}

/** Whether it lets the right pair in under `authorization`, and not under `Authorization`, as the document writes it. */
async function isLowerCaseOnly(session: Session, body: string): Promise<boolean> {
  return (await session.probe(body, '', { headerName: 'authorization' })).reception === 'accepted';
}

/** It parses twice if it accepts a JSON string that holds the payload, and refuses one that holds no JSON. */
async function isParsedTwice(session: Session, body: string): Promise<boolean> {
  const withJson = await session.probe(JSON.stringify(body));
  if (withJson.reception !== 'accepted') return false;
  return (await session.probe(JSON.stringify('no JSON inside'))).reception !== 'accepted';
}

/** Adds what else helps to find the reason of a 5xx. */
async function addProbes(findings: Findings, exchange: Exchange, session: Session): Promise<void> {
  const { httpStatus = 0 } = exchange;
  if (httpStatus < 500) return;
  const unknown = await session.probe(JSON.stringify({ event: 'sandbox.made-up' }));
  if (unknown.reception === 'accepted') {
    findings.leaveOpen(
      'a body of no known kind was accepted, so the listener refuses this payment, not every body',
    );
  }
}
