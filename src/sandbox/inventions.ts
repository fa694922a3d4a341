/**
 * Everything that the sandbox had to make up, because the document does not show it. The real service may differ in
 * every row: write code that works with any value, and change a row to test it.
 */
export interface Inventions {
  /** The answer to missing or wrong credentials. */
  wrongCredentials: InventedAnswer;
  /** The answer to a path that belongs to no operation. */
  unknownPath: InventedAnswer;
  /** The answer to a wrong method on an operation's path. */
  wrongMethod: InventedAnswer;
  /** The answer to a body that is not sent as `application/json`. */
  wrongMediaType: InventedAnswer;
  /** The answer to a body larger than `maxBodyBytes`. */
  bodyTooLarge: InventedAnswer;
  /** The answer to a body that is not JSON, or lacks a required field. */
  invalidBody: InventedAnswer;
  /** The answer to a query for a UUID that no transaction has. */
  unknownTransaction: InventedAnswer;
  /** The answer to a cancellation of an instruction id that no scheduled payment has. */
  unknownScheduledPayment: InventedAnswer;
  /** The answer to a cancellation of a payment that is no longer scheduled. */
  cancellationRefused: InventedAnswer;
  /** What happens to the second cancellation of the same scheduled payment. */
  repeatedCancellation: 'refused' | 'success';
  /** The answer to a second journey under the same `referenceCode`, or `'accepted'`. */
  repeatedReferenceCode: InventedAnswer | 'accepted';
  /** The whole answer with body status -1, as the fault `body-status` gives it. */
  bodyStatusMinus1: InventedAnswer;
  /** The whole answer with body status 999, as the fault `body-status` gives it. */
  bodyStatus999: InventedAnswer;
  /** Largest request body that is read, in bytes. */
  maxBodyBytes: number;

  /** The zone of all date-times, as minutes from UTC. */
  utcOffsetMinutes: number;
  /** How long a journey without `maxAge` is valid, in minutes. Nothing expires by itself: use `cancelTransaction`. */
  defaultMaxAgeMinutes: number;
  /** The `amount` of a journey without an immediate payment, if the request has none. */
  amountWithoutImmediatePayment: 'recurrenceAmount';
  /** What sale codes start with. */
  saleCodePrefix: string;
  /** Shipping costs of every sale, in the currency's main unit. */
  shipping: number;
  /** Discounts of every sale, in the currency's main unit. */
  discounts: number;
  /** How the one name of a checkout becomes the first and the last name of a payment notification. */
  shopperNames: 'split at the first space';
  /** The service's fee on a sale. */
  appliedRate: number;
  /** The service's fee on payouts. */
  serviceFee: number;
  /** The account that a payer pays from, and that reversals and refunds go back to. */
  payerAccount: {
    /** Bank. */
    readonly bank: string;
    /** Branch of the bank. */
    readonly branch: string;
    /** Account number. */
    readonly account: string;
  };
  /** The texts that a payer reads. */
  instructions: {
    /** Display name of the method. */
    readonly name: string;
    /** Display label of the method. */
    readonly label: string;
    /** What to do, step by step. */
    readonly steps: readonly string[];
  };
  /** `qrCode.base64` as bare Base64, or as a `data:` URL. */
  qrCodeBase64: 'bare' | 'data-url';
  /** The merchant in the BR Code. The host must not exist, so that no bank's application finds a payment there. */
  qrCodeMerchant: {
    /** The merchant's name. */
    readonly name: string;
    /** The merchant's city. */
    readonly city: string;
    /** The host of the URL in the code. */
    readonly host: string;
  };

  /** What the query's refunds say beyond the fields: what is left, and why. */
  refundsOfTransaction: 'remark is the reason, available is what is left';
  /** What `cancelTransaction` sends: nothing. */
  cancelledJourney: 'sends nothing';
  /** How many payments are scheduled when a journey is paid, by its `periodicity`, or monthly if that is unknown. */
  scheduledPayments: number;
  /**
   * What `pay` does to a journey without an immediate payment: it is authorized and its payments are scheduled, it stays
   * `PENDING`, and nothing is sent.
   */
  authorization: 'stays PENDING, sends nothing';
  /**
   * Whether charging a scheduled payment makes a sale of its own, which has a `saleToken` of its own and sends a payment
   * notification. Default: it only changes the scheduled payment, and sends nothing.
   */
  scheduledPaymentSale: boolean;
  /** The reasons of refunds and reversals that are given none. */
  defaultReasons: {
    /** Of a refund. */
    readonly refund: string;
    /** Of a reversal. */
    readonly reversal: string;
  };
  /** Which fields a refund notification uses for the refunded amount. */
  refundAmountFields: 'both' | 'reversedAmount' | 'amountRefunded';
  /** What receipts start with. A reversal has none until it is `PAID`. */
  receiptPrefix: string;
  /** Whether a reversal also sends the payment's payload again, with `newStatus` `REVERSAL`. */
  saleReversalNotification: boolean;
  /** The status of a failed payout. */
  failedPayoutStatus: 'PENDING' | 'FAILED';
  /** The query flags of a failed payout. */
  failedPayoutQuery: string;
  /** The `message` of a failed payout with a bank's reason; `{code}`, `{meaning}` and `{reason}` are replaced. */
  failedPayoutMessage: string;
  /** How long a listener may take to answer a notification, in milliseconds. */
  deliveryTimeoutMs: number;
}

/** An answer that the document does not show. */
export interface InventedAnswer {
  /** HTTP status. */
  readonly httpStatus: number;
  /** Body field `status`. */
  readonly status: number;
  /** Body field `message`. */
  readonly message: string;
}

/** A row of the table: what the sandbox made up, and why. */
export interface Invention<Value> {
  /** Marks the row as an invention wherever it is printed. */
  readonly inventedBySandbox: true;
  /** Section of the document that leaves it open. */
  readonly section: string;
  /** What is invented and why, in a sentence: in English and in Portuguese. */
  readonly about: readonly [english: string, portuguese: string];
  /** What the sandbox does; `startSandbox({ inventions })` changes it. */
  readonly value: Value;
}

/** The table: each row is the sandbox's own invention, and each can be changed with `startSandbox({ inventions })`. */
export const inventionTable: { readonly [Row in keyof Inventions]: Invention<Inventions[Row]> } = {
  wrongCredentials: refused(
    401,
    'invalid credentials',
    'A call with missing or wrong credentials',
    'Uma chamada com credenciais ausentes ou erradas',
  ),
  unknownPath: refused(
    404,
    'no such operation',
    'A call to a path of no operation',
    'Uma chamada a um caminho que não é de nenhuma operação',
  ),
  wrongMethod: refused(
    405,
    'method not allowed',
    'A call with the wrong HTTP method',
    'Uma chamada com o método HTTP errado',
  ),
  wrongMediaType: refused(
    415,
    'expected application/json',
    'A call whose body is not sent as JSON',
    'Uma chamada cujo corpo não é enviado como JSON',
  ),
  bodyTooLarge: refused(
    413,
    'body too large',
    'A call whose body is too large',
    'Uma chamada com um corpo grande demais',
  ),
  invalidBody: refused(
    400,
    'invalid body',
    'A call whose body lacks a field or is not JSON',
    'Uma chamada cujo corpo não tem um campo ou não é JSON',
  ),
  unknownTransaction: refused(
    404,
    'transaction not found',
    'A query for a transaction that does not exist',
    'Uma consulta a uma transação que não existe',
  ),
  unknownScheduledPayment: refused(
    404,
    'scheduled payment not found',
    'A cancellation of a scheduled payment that does not exist',
    'Um cancelamento de um pagamento agendado que não existe',
  ),
  cancellationRefused: refused(
    409,
    'scheduled payment cannot be cancelled',
    'A cancellation of a payment that is no longer scheduled',
    'Um cancelamento de um pagamento que não está mais agendado',
  ),
  repeatedCancellation: invent(
    '4.3',
    'A second cancellation of the same payment is refused, because the document does not say what happens.',
    'Um segundo cancelamento do mesmo pagamento é recusado, porque a documentação não diz o que acontece.',
    'refused',
  ),
  repeatedReferenceCode: invent(
    '2.1',
    'Two journeys may have the same order identifier, because the document shows no refusal.',
    'Duas jornadas podem ter o mesmo identificador de pedido, porque a documentação não mostra uma recusa.',
    'accepted',
  ),
  bodyStatusMinus1: invent(
    '7.2',
    'The fault with body status -1 answers this, because the document does not explain that status.',
    'A falha com status -1 no corpo responde isto, porque a documentação não explica esse status.',
    answer(200, 'sandbox: status -1'),
  ),
  bodyStatus999: invent(
    '7.2',
    'The fault with body status 999 answers this, because the document does not explain that status.',
    'A falha com status 999 no corpo responde isto, porque a documentação não explica esse status.',
    answer(200, 'sandbox: status 999', 999),
  ),
  maxBodyBytes: invent(
    '8',
    'A call may have this many bytes, because the document names no largest size.',
    'Uma chamada pode ter este número de bytes, porque a documentação não informa um tamanho máximo.',
    1024 * 1024,
  ),
  // Brazil has had no daylight saving since 2019.
  utcOffsetMinutes: invent(
    '2',
    'Dates and times are those of Brasília, in minutes from UTC, because the document names no time zone.',
    'Datas e horas são as de Brasília, em minutos a partir de UTC, porque a documentação não informa o fuso.',
    -180,
  ),
  defaultMaxAgeMinutes: invent(
    '2.1',
    'A journey without `maxAge` is valid for this many minutes, because the document gives no default.',
    'Uma jornada sem `maxAge` vale por este número de minutos, porque a documentação não dá um padrão.',
    60,
  ),
  amountWithoutImmediatePayment: invent(
    '2.2',
    'A journey that charges nothing today shows the amount of its later payments, because the document shows no other.',
    'Uma jornada que não cobra nada hoje mostra o valor dos pagamentos seguintes, porque a documentação não mostra outro.',
    'recurrenceAmount',
  ),
  saleCodePrefix: invent(
    '2.2',
    'A sale code is this letter and a number, because the document does not show its form.',
    'Um código de venda é esta letra e um número, porque a documentação não mostra a forma dele.',
    'S',
  ),
  shipping: invent(
    '2.3',
    'A sale has these shipping costs, because the request of a journey has none.',
    'Uma venda tem este custo de frete, porque a requisição de uma jornada não tem nenhum.',
    0,
  ),
  discounts: invent(
    '2.3',
    'A sale has these discounts, because the request of a journey has none.',
    'Uma venda tem este desconto, porque a requisição de uma jornada não tem nenhum.',
    0,
  ),
  shopperNames: invent(
    '6.2',
    'The first word of the name is the first name, because the document does not say how one name becomes two.',
    'A primeira palavra do nome é o primeiro nome, porque a documentação não diz como um nome vira dois.',
    'split at the first space',
  ),
  appliedRate: invent(
    '2.3',
    'The service takes this fee on a sale, because the document shows no amount.',
    'O serviço cobra esta taxa sobre uma venda, porque a documentação não mostra um valor.',
    0,
  ),
  serviceFee: invent(
    '2.3',
    'The service takes this fee on a payout, because the document shows no amount.',
    'O serviço cobra esta taxa sobre um repasse, porque a documentação não mostra um valor.',
    0,
  ),
  payerAccount: invent(
    '2.3',
    'The payer and the default payout have this account, which no bank has, because a real one must not appear here.',
    'O pagador e o repasse padrão têm esta conta, que não existe em nenhum banco, porque uma conta real não pode aparecer aqui.',
    { bank: 'SANDBOX', branch: '0001', account: '123456-7' },
  ),
  instructions: invent(
    '2.2',
    'The payer reads these texts, because the document does not show the real ones.',
    'O pagador lê estes textos, porque a documentação não mostra os reais.',
    {
      name: 'Pix Automático',
      label: 'Pix Automático (sandbox)',
      steps: [
        'Abra o aplicativo do seu banco.',
        'Escolha pagar com Pix e aponte a câmera para o QR Code.',
        'Confira os dados da recorrência e autorize.',
      ],
    },
  ),
  qrCodeBase64: invent(
    '2.2',
    'The image of the QR code is plain Base64, because the document does not say whether it begins with `data:`.',
    'A imagem do QR Code é Base64 puro, porque a documentação não diz se ela começa com `data:`.',
    'bare',
  ),
  qrCodeMerchant: invent(
    '2.2',
    'The QR code names this merchant, at an address that does not exist, because nobody should be able to pay it.',
    'O QR Code tem este recebedor, em um endereço que não existe, porque ninguém deve conseguir pagá-lo.',
    { name: 'PIX AUTOMATIC SANDBOX', city: 'SANDBOX', host: 'qr.sandbox.invalid' },
  ),
  refundsOfTransaction: invent(
    '2.3',
    'A query says what is left to refund and gives each reason as its `remark`, because the document shows only the fields.',
    'Uma consulta informa o que resta devolver e dá cada motivo em `remark`, porque a documentação mostra só os campos.',
    'remark is the reason, available is what is left',
  ),
  cancelledJourney: invent(
    '3',
    'A cancelled journey sends no notification, because the document shows none.',
    'Uma jornada cancelada não envia notificação, porque a documentação não mostra nenhuma.',
    'sends nothing',
  ),
  scheduledPayments: invent(
    '3',
    'This many payments are scheduled, and each ends as paid, declined or cancelled, because the document shows only their ids.',
    'Este número de pagamentos é agendado, e cada um termina pago, recusado ou cancelado, porque a documentação mostra só os ids.',
    3,
  ),
  authorization: invent(
    '3',
    'An authorization without a charge leaves the journey waiting and sends nothing, because the document shows no change.',
    'Uma autorização sem cobrança deixa a jornada aguardando e não envia nada, porque a documentação não mostra nenhuma mudança.',
    'stays PENDING, sends nothing',
  ),
  scheduledPaymentSale: invent(
    '6.1',
    'Charging a scheduled payment makes no sale and sends nothing, because the document shows no payload for it.',
    'Cobrar um pagamento agendado não cria uma venda nem envia nada, porque a documentação não mostra um conteúdo para isso.',
    false,
  ),
  defaultReasons: invent(
    '6.3',
    'A refund or reversal that is given no reason has one of these, because the document shows none.',
    'Uma devolução ou um estorno sem motivo recebe um destes, porque a documentação não mostra nenhum.',
    { refund: 'sandbox refund', reversal: 'sandbox reversal' },
  ),
  refundAmountFields: invent(
    '6.4',
    'A refund has its amount under both names, because the document has both and does not say which one counts.',
    'Uma devolução tem o valor sob os dois nomes, porque a documentação tem os dois e não diz qual vale.',
    'both',
  ),
  receiptPrefix: invent(
    '6.3',
    'A receipt is this text and a number, because the document does not show its form.',
    'Um comprovante é este texto e um número, porque a documentação não mostra a forma dele.',
    'sandbox-receipt-',
  ),
  saleReversalNotification: invent(
    '6.2',
    'A reversal sends no notification about its sale, because the document names that event without a payload.',
    'Um estorno não envia notificação sobre a venda, porque a documentação cita esse evento sem um conteúdo.',
    false,
  ),
  failedPayoutStatus: invent(
    '3',
    'A failed payout has this status, because the document shows PENDING in its example and FAILED in its list.',
    'Um repasse que falhou tem este status, porque a documentação mostra PENDING no exemplo e FAILED na lista.',
    'PENDING',
  ),
  failedPayoutQuery: invent(
    '6.5',
    'A failed payout carries this query, because the document shows its second parameter for a successful one alone.',
    'Um repasse que falhou leva esta query string, porque a documentação mostra o segundo parâmetro só para o que deu certo.',
    'payout=true',
  ),
  failedPayoutMessage: invent(
    '7.1',
    'The reason of the bank stands here in the message, because the document only says that it may follow.',
    'O motivo do banco fica aqui na mensagem, porque a documentação diz apenas que ele pode vir depois.',
    '{meaning}; {reason}',
  ),
  deliveryTimeoutMs: invent(
    '8',
    'A listener has this many milliseconds to answer, because the document names no limit.',
    'Um listener tem este número de milissegundos para responder, porque a documentação não informa um limite.',
    30_000,
  ),
};

/** The table's values, overridden by those of the caller. */
export function resolveInventions(overrides: Partial<Inventions> = {}): Inventions {
  const defaults = Object.entries(inventionTable).map(([row, { value }]) => [row, value]);
  return { ...(Object.fromEntries(defaults) as Inventions), ...overrides };
}

function invent<Value>(section: string, english: string, portuguese: string, value: Value): Invention<Value> {
  return { inventedBySandbox: true, section, about: [english, portuguese], value };
}

/** What a wrong call is answered with. */
function refused(httpStatus: number, message: string, english: string, portuguese: string) {
  return invent(
    '7.2',
    `${english} gets this answer, because the document shows no answers to errors.`,
    `${portuguese} recebe esta resposta, porque a documentação não mostra respostas de erro.`,
    answer(httpStatus, message),
  );
}

function answer(httpStatus: number, message: string, status = -1): InventedAnswer {
  return { httpStatus, status, message };
}
