import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Phrases that readers had to read twice, and their replacements. */
const PHRASES: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/says of every failed call/i, 'tells you, for every failed call, whether it may have gone through'],
  [/may have taken effect/i, 'may have gone through'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\bstand-in\b/i, 'local sandbox'],
  [/the worst outcome counts/i, 'the error reports the worst outcome'],
  [/one that is longer than the call may take/i, 'if the wait exceeds the remaining time'],
  [/one at a time for a subject/i, 'one callback at a time per payment, refund, reversal or payout'],
  [/a microtask after what is settled/i, 'one microtask later, so that …'],
  [/\bdoes not heed\b/i, 'may ignore'],
  [/\btime-outs?\b/i, 'timeout'],
  [/pode ter surtido efeito/i, 'pode ter sido efetivada'],
  [/\bdublês?\b/i, 'sandbox local'],
  [/\bmarcas na query\b/i, 'parâmetros da query string'],
  [/\bum passo do store\b/i, 'uma operação do store'],
  [/\bcorpo bruto\b(?! \(raw body\))/i, 'corpo bruto (raw body)'],
  [/\bo documento (?:do serviço|não (?:diz|mostra))/i, 'a documentação do serviço'],
  [/\bnovas? tentativas? do serviço|\bretentativa nova\b|terceira nova tentativa/i, 'retentativas'],
  [/passe o que passar/i, 'seja qual for a entrada'],
  [/no seu banco(?! de dados)|com o seu banco(?! de dados)/i, 'banco de dados: "banco" is a bank here'],
  [/\bum pacote só/i, 'um único pacote'],
  [/\bacab(?:a|ou) de vez\b/i, 'foi encerrada em definitivo'],
  [/\bconselhos?\b/i, 'avisos'],
  [/\bque recebe a notificação\b/i, 'que só recebe a notificação'],
  [/\bQuebre tudo\b/i, 'Provoque falhas'],
  [/\bVocê não chama\b/i, 'Você não precisa fazer nenhuma chamada'],
  [/\bcresce a cada claim\b/i, 'aumenta a cada reserva (claim)'],
  [/goods leave/i, 'before you ship'],
  [/nobody's any more/i, 'discard it'],
  // One delivery, and at most five retries about 60 s apart, is all that the document says (section 6.1).
  [
    /\b(?:deliver|repeat|sen[dt]|come|notification)[^.]*\b(?:up to|at most) six times\b/i,
    'up to five more times',
  ],
  [/\b(?:for|in|within) (?:about|some) six minutes\b/i, 'up to five more times, about 60 s apart'],
  [/\b(?:até|no máximo) seis vezes\b/i, 'até mais cinco vezes'],
  [/\b(?:cerca de|uns) seis minutos\b/i, 'até mais cinco vezes, com cerca de 60 s entre elas'],
  [
    /\bnotification never comes again\b|\bnotificação nunca mais (?:chega|vem)\b/i,
    'nothing promises that it comes again',
  ],
  [
    /\bsame (?:uuid )?in all its states\b|\bmesmo (?:uuid )?em todos os (?:seus )?estados\b/i,
    'the document does not say so',
  ],
  [/\bunchanged \(document section 6\.1\)/i, 'the document does not say so'],
  [
    /\byou get a `payment` notification\b|\bvocê recebe uma notificação `payment`/i,
    'the document shows none',
  ],
  [/(?<!HTTP's convention, it )\bdid not act on it\b/i, "by HTTP's convention, it did not act on it"],
  [/\bonly once the service\b/i, 'only after the service has confirmed it'],
  [
    /\bfor who wants\b|\bbelong into\b|\bways out\b|\bwho asks\b/i,
    'you can; belong in; fixes; authentication',
  ],
  [/\bnone in JSON\b|\bnão é nenhum em JSON\b/i, 'cannot be written as JSON'],
  [/\b(?:journey|jornada) (?:over|sobre) (?:other|outro)\b/i, 'for a different amount'],
  [/\bquer saber quem pede\b|\btempo das duas\b/i, 'exige autenticação; até o tempo limite'],
  [/\b[Oo]s? header\b|\bum header\b/, 'cabeçalho'],
  [/\bmais nov[oa]s?\b/i, 'ou superior (a version); mais recente'],
  [/\b(?:re)?lançamentos?\b|\blance `/i, 'registro, registre (lançar is for errors)'],
  [/\bvoltou (?:dinheiro|antes)\b|\bo dinheiro voltou\b/i, 'foi devolvido'],
  [/\boutr[oa] \S+ que (?:o|a)s? d/i, 'diferente do'],
  [/\bmigraç(?:ão|ões)\b|\bQR Code\b/, 'migrations; QR code'],
  [/\bcomo ele é(?![a-zà-ú])|\bmês dois\b|\bSirva\b/, 'diretamente; segundo mês; exponha'],
];

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .split('\n')
  .filter(
    (file) => /\.(md|txt|[cm]?[jt]sx?|css|yml)$/.test(file) && !/\.generated\.|test\/docs\/words/.test(file),
  );

function found(text: string, file: string): string[] {
  // In the whole text first: few files have any of them, and line by line takes far longer.
  const phrases = PHRASES.filter(([phrase]) => phrase.test(text));
  return text
    .split('\n')
    .flatMap((line, index) =>
      phrases
        .filter(([phrase]) => phrase.test(line))
        .map(([, instead]) => `${file}:${index + 1} write "${instead}": ${line.trim()}`),
    );
}

test('the whole repository uses plain words', () => {
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap((file) => found(readFileSync(file, 'utf8'), file))).toEqual([]);
});

test.each([
  ['finds', 1, ['Mend what it names.', 'after its time-out', 'É um pacote só.', 'Eles gravam no seu banco.']],
  [
    'finds',
    1,
    [
      'the service delivers again, up to six times, about 60 s apart',
      'The service repeats a notification at most six times',
      'a notification, up to six times',
      'repeats a notification for about six minutes',
      'o serviço entrega de novo, até seis vezes',
      'O serviço repete uma notificação no máximo seis vezes',
      'em cerca de seis minutos',
      'after a 200 the notification never comes again',
      'depois de um 200 a notificação nunca mais chega',
      'UUID of the reversal, the same in all its states',
      'a retry sends it unchanged (document section 6.1)',
      'When the payer pays, you get a `payment` notification.',
      'refused: the service did not act on it',
      'a callback runs only once the service confirms it',
      'orders belong into a database',
      'A value is none in JSON',
      'Um valor não é nenhum em JSON',
      'the order has a journey over other money',
      'tem uma jornada sobre outro valor',
      'um proxy no caminho quer saber quem pede',
      'um gateway que remove o header',
      'Node 20.19 ou mais novo',
      'uma linha por lançamento',
      'voltou dinheiro que não está registrado',
      'como outro valor que o do pedido',
      'ponha nas suas migrações',
      'mostre o QR Code',
      'aceita o handler como ele é',
      'a cobrança do mês dois',
    ],
  ],
  [
    'accepts',
    0,
    [
      'We recommend it.',
      'a standing order',
      'a timeout of 5 s',
      'no seu banco de dados',
      'all six deliveries',
      'up to five more times',
      'as seis entregas',
      'o callback lançou um erro',
    ],
  ],
])('the check %s words', (_, count, lines) => {
  for (const line of lines) expect(found(line, 'x.md'), line).toHaveLength(count);
});
