/**
 * Every sentence of the command line, from English to Portuguese. `say` looks them up, and its type refuses a sentence
 * that is not here. `{name}` stands for a value. The controls have their texts with them, in both languages.
 */
export const portuguese = {
  // Help
  'a local sandbox for recurring Pix payments, and tools for your listener':
    'um sandbox local para pagamentos Pix recorrentes e ferramentas para o seu listener',
  'Usage:': 'Uso:',
  '[options]': '[opções]',
  Commands: 'Comandos',
  Options: 'Opções',
  Examples: 'Exemplos',
  Help: 'Ajuda',
  Credentials: 'Credenciais',
  'Exit codes': 'Códigos de saída',
  'Show this help': 'Mostra esta ajuda',
  'en or pt (default: by LC_ALL, LC_MESSAGES or LANG)':
    'en ou pt (padrão: conforme LC_ALL, LC_MESSAGES ou LANG)',
  'Print one JSON document': 'Imprime um único documento JSON',
  'Send the credentials over plain http to other hosts, such as those of Docker Compose':
    'Envia as credenciais por http sem criptografia a outros hosts, como os do Docker Compose',
  'The running sandbox (default: PAYMENTS_BASE_URL if it is on this machine, else http://127.0.0.1:4100)':
    'O sandbox em execução (padrão: PAYMENTS_BASE_URL se for nesta máquina, senão http://127.0.0.1:4100)',
  "Warning: PAYMENTS_API_KEY and PAYMENTS_API_TOKEN are sent to {url}. They are not the sandbox's own pair: unset them if they are real, because any program may listen on that port.":
    'Atenção: PAYMENTS_API_KEY e PAYMENTS_API_TOKEN são enviadas para {url}. Elas não são o par do próprio sandbox: remova-as do ambiente se forem reais, porque qualquer programa pode escutar nessa porta.',
  'PAYMENTS_API_KEY and PAYMENTS_API_TOKEN from the environment, never from an argument, and never printed.':
    'PAYMENTS_API_KEY e PAYMENTS_API_TOKEN vêm do ambiente, nunca de um argumento, e nunca são impressas.',
  "Without them, the sandbox's own pair is used, which is no secret: only for this machine, or with --allow-insecure-http.":
    'Sem elas, é usado o par do próprio sandbox, que não é segredo: só nesta máquina, ou com --allow-insecure-http.',
  'Credentials are sent over https, or to this machine. Plain http to other hosts needs --allow-insecure-http.':
    'As credenciais só são enviadas por https ou para esta máquina. Para outros hosts por http, use --allow-insecure-http.',
  'it worked; what was sent was answered with 200': 'deu certo; o que foi enviado recebeu 200',
  'refused, not reached, or a notification was not answered with 200':
    'recusado, não alcançado, ou uma notificação não recebeu 200',
  'of `verify` alone: no check failed, and some could not run':
    'só de `verify`: nenhuma verificação falhou, e algumas não puderam ser feitas',
  '`{command}` has the credentials and the exit codes.':
    '`{command}` traz as credenciais e os códigos de saída.',
  'called wrongly; nothing was sent': 'chamada incorreta; nada foi enviado',
  'Without an argument': 'Sem argumento',
  url: 'url',
  n: 'n',
  ms: 'ms',
  name: 'nome',
  json: 'json',
  text: 'texto',
  code: 'código',
  kind: 'tipo',
  operation: 'operação',
  command: 'comando',
  'delivery id': 'id da entrega',
  'listener URL': 'URL do listener',
  'uuid or referenceCode': 'uuid ou referenceCode',
  'instruction id, or uuid or referenceCode of its journey':
    'id da instrução, ou uuid ou referenceCode da jornada',
  'uuid of the reversal': 'uuid do estorno',
  'part of a uuid or referenceCode': 'parte de um uuid ou referenceCode',

  // A wrong call
  'Expected one of {list}.': 'Use um destes: {list}.',
  'Expected <{what}>: one of {list}.': 'Informe <{what}>: um destes: {list}.',
  'Expected <{name}>.': 'Informe <{name}>.',
  'There is an argument too many: {word}. `{command}` takes {taken}.':
    'Há um argumento a mais: {word}. `{command}` aceita {taken}.',
  'no argument': 'nenhum argumento',
  'Expected `--{name}` once.': 'Passe `--{name}` uma só vez.',
  'Expected `--{name}` to be one of {list}.{hint}': '`--{name}` precisa ser um destes: {list}.{hint}',
  'Expected `--{name}` to be a whole number from {least} to {most}.':
    '`--{name}` precisa ser um número inteiro de {least} a {most}.',
  'Expected `--{name}` to be an amount above 0 with a point, such as 29.90.':
    '`--{name}` precisa ser um valor acima de 0, com ponto decimal, como 29.90.',
  'Expected `--{name}` to be a JSON object.': '`--{name}` precisa ser um objeto JSON.',
  'Expected `--{name}`: {about}': 'Informe `--{name}`: {about}',
  'Expected `--{name}` without a value.': '`--{name}` não recebe valor.',
  'Expected a value after `--{name}`: <{value}>.': 'Falta o valor depois de `--{name}`: <{value}>.',
  'There is no option {word}.{hint}': 'Não existe a opção {word}.{hint}',
  'There is no {what} {word}.{hint}': 'Não existe {what} {word}.{hint}',
  'of that name': 'com esse nome',
  'Did you mean `{word}`?': 'Você quis dizer `{word}`?',
  'Expected `{option}` to be an absolute URL such as http://127.0.0.1:3000/webhooks.':
    '`{option}` precisa ser uma URL absoluta, como http://127.0.0.1:3000/webhooks.',
  'Expected `{option}` without user and password: set PAYMENTS_API_KEY and PAYMENTS_API_TOKEN instead.':
    '`{option}` não pode ter usuário e senha: defina PAYMENTS_API_KEY e PAYMENTS_API_TOKEN.',
  'Expected `{option}` to be an https URL, or one of this machine such as http://127.0.0.1:3000. The credentials are sent there, and plain http would show them to the network. For a network of your own, such as that of Docker Compose, pass `--allow-insecure-http`.':
    '`{option}` precisa ser uma URL https, ou desta máquina, como http://127.0.0.1:3000. As credenciais são enviadas para lá, e por http ficariam expostas na rede. Em uma rede sua, como a do Docker Compose, passe `--allow-insecure-http`.',
  'Expected {names} in the environment: the credentials that the other side expects. They are not taken as arguments, because every process on the machine can read arguments.':
    'Defina no ambiente {names}: as credenciais que o outro lado espera. Elas não podem ser argumentos, porque qualquer processo da máquina consegue ler argumentos.',
  'Expected `apiKey` to be without a colon: in Basic authentication the colon ends the user name. Did you pass key and token in one string?':
    'A chave (PAYMENTS_API_KEY) não pode ter dois-pontos: na autenticação Basic, eles encerram o nome de usuário. Você passou chave e token juntos?',
  'Expected `apiKey` to be without white space at its ends. It was probably copied with a line break.':
    'A chave (PAYMENTS_API_KEY) não pode ter espaços nas pontas. Provavelmente foi copiada com uma quebra de linha.',
  'Expected `apiToken` to be without white space at its ends. It was probably copied with a line break.':
    'O token (PAYMENTS_API_TOKEN) não pode ter espaços nas pontas. Provavelmente foi copiado com uma quebra de linha.',
  'Expected `apiKey` to have only Latin-1 characters and no control characters, as a header must. It was probably copied with an invisible character.':
    'A chave (PAYMENTS_API_KEY) só pode ter caracteres Latin-1, sem caracteres de controle, como exige um header. Provavelmente foi copiada com um caractere invisível.',
  'Expected `apiToken` to have only Latin-1 characters and no control characters, as a header must. It was probably copied with an invisible character.':
    'O token (PAYMENTS_API_TOKEN) só pode ter caracteres Latin-1, sem caracteres de controle, como exige um header. Provavelmente foi copiado com um caractere invisível.',

  // A running sandbox, and its controls
  'The sandbox is not running at {url}: start it with `npx pix-automatic-sdk sandbox`.':
    'O sandbox não está em execução em {url}: inicie-o com `npx pix-automatic-sdk sandbox`.',
  'The sandbox at {url} did not answer within {seconds} s: the machine may be busy, or something else listens there.':
    'O sandbox em {url} não respondeu em {seconds} s: a máquina pode estar ocupada, ou outro programa usa essa porta.',
  'No sandbox can be at {url}: `fetch` refuses to call that port. Start the sandbox on another one.':
    'Não pode haver um sandbox em {url}: o `fetch` se recusa a chamar essa porta. Inicie o sandbox em outra.',
  'The sandbox at {url} could not be reached ({code}).':
    'Não foi possível chegar ao sandbox em {url} ({code}).',
  'The sandbox at {url} expects other credentials: set PAYMENTS_API_KEY and PAYMENTS_API_TOKEN to its pair.':
    'O sandbox em {url} espera outras credenciais: defina PAYMENTS_API_KEY e PAYMENTS_API_TOKEN com o par dele.',
  'No sandbox of this version answers at {url} (HTTP {status}). Is something else listening there?':
    'Nenhum sandbox desta versão responde em {url} (HTTP {status}). Há outro programa nessa porta?',
  'The answer is not that of a sandbox of this version. Is something else listening there?':
    'A resposta não é a de um sandbox desta versão. Há outro programa nessa porta?',
  'The newest journey that is not paid yet.': 'A jornada mais nova que ainda não foi paga.',
  'The newest transaction that is paid.': 'A transação paga mais nova.',
  'The next payment of the newest journey that has one scheduled. Of a journey: its next one.':
    'O próximo pagamento da jornada mais nova que tem um agendado. De uma jornada: o próximo dela.',
  'The newest reversal that is PENDING.': 'O estorno PENDING mais novo.',
  'No reversal is PENDING: `pix-automatic-sdk reverse` starts one.':
    'Nenhum estorno está PENDING: `pix-automatic-sdk reverse` inicia um.',
  'The sandbox has no journey yet: create one with `client.createRecurringCheckout`, pointed at the sandbox.':
    'O sandbox ainda não tem nenhuma jornada: crie uma com `client.createRecurringCheckout`, apontado para o sandbox.',
  'Every journey of the sandbox is paid or cancelled: create another one first.':
    'Todas as jornadas do sandbox já foram pagas ou canceladas: crie outra primeiro.',
  'No transaction of the sandbox is paid: pay one with `pix-automatic-sdk pay`.':
    'Nenhuma transação do sandbox foi paga: pague uma com `pix-automatic-sdk pay`.',
  'No transaction of the sandbox has that uuid or reference code.{hint} `pix-automatic-sdk list` shows them all.':
    'Nenhuma transação do sandbox tem esse uuid ou código de referência.{hint} `pix-automatic-sdk list` mostra todas.',
  'No payment is scheduled: `pix-automatic-sdk pay` schedules the payments of a journey.':
    'Nenhum pagamento está agendado: `pix-automatic-sdk pay` agenda os pagamentos de uma jornada.',
  'Expected `--complete` or `--cancel`, not both.': 'Passe `--complete` ou `--cancel`, não os dois.',
  made: 'efetuado',
  'failed with {code}': 'falhou com {code}',
  'No notification was sent: the sandbox has no listener. `set-listener` sets one.':
    'Nenhuma notificação foi enviada: o sandbox não tem listener. Defina um com `set-listener`.',
  '`{name}` sends no notification in this case.': '`{name}` não envia notificação neste caso.',
  'delivered before': 'já entregue antes',
  'on its way': 'a caminho',
  'will be retried': 'haverá retentativa',
  delivered: 'entregue',
  'given up': 'desistiu',
  'scheduled: {id}, due {date}': 'agendado: {id}, vence em {date}',
  'no answer in time': 'sem resposta a tempo',
  'no answer ({error})': 'sem resposta ({error})',

  // list
  'List the transactions and notifications of the running sandbox':
    'Lista as transações e as notificações do sandbox em execução',
  'How many transactions and how many notifications, the newest (default: 50)':
    'Quantas transações e quantas notificações, as mais novas (padrão: 50)',
  'Only transactions that are PENDING, PAID or CANCELLED': 'Só as transações PENDING, PAID ou CANCELLED',
  Order: 'Ordem',
  'The newest come last. Payloads are left out: they hold personal data.':
    'As mais novas vêm por último. Os payloads são omitidos: eles contêm dados pessoais.',
  'No transactions yet.': 'Nenhuma transação ainda.',
  Transactions: 'Transações',
  'No notifications yet.': 'Nenhuma notificação ainda.',
  Notifications: 'Notificações',
  'none: nothing is sent': 'nenhum: nada é enviado',
  'Armed fault': 'Falha armada',
  '{older} older ones are not shown: --limit shows more.':
    '{older} mais antigas não aparecem: --limit mostra mais.',
  scheduled: 'agendado',

  // resend
  'Send a notification of the running sandbox once more; your listener must not act twice':
    'Reenvia uma notificação do sandbox em execução; seu listener não pode agir duas vezes',
  'The newest notification.': 'A notificação mais nova.',
  'The sandbox has sent no notification yet.': 'O sandbox ainda não enviou nenhuma notificação.',
  'The sandbox has no such delivery.{hint} `pix-automatic-sdk list` shows them all.':
    'O sandbox não tem essa entrega.{hint} `pix-automatic-sdk list` mostra todas.',
  'Sent {id} once more: {result}, {durationMs} ms': '{id} reenviada: {result}, {durationMs} ms',

  // fault
  'Make the next calls of an operation go wrong in the running sandbox':
    'Faz as próximas chamadas de uma operação darem errado no sandbox em execução',
  'How many calls go wrong (default: 1)': 'Quantas chamadas dão errado (padrão: 1)',
  'The HTTP status of `status`, or the body status of `body-status`':
    'O status HTTP de `status`, ou o status do corpo de `body-status`',
  'With `status`: the operation is still carried out': 'Com `status`: a operação é efetivada mesmo assim',
  'The delay of `latency` or `close-after-answer`, in milliseconds':
    'O atraso de `latency` ou `close-after-answer`, em milissegundos',
  'Remove the faults that no call has met yet': 'Remove as falhas que nenhuma chamada encontrou ainda',
  Operations: 'Operações',
  'create a journey': 'cria uma jornada',
  'query a transaction': 'consulta uma transação',
  'cancel a scheduled payment': 'cancela um pagamento agendado',
  Kinds: 'Tipos',
  'carried out at once; the response comes late': 'efetivada na hora; a resposta chega atrasada',
  'not carried out, but for --takes-effect; another HTTP status comes':
    'não efetivada, salvo com --takes-effect; vem outro status HTTP',
  'carried out; the body has status -1 or 999': 'efetivada; o corpo tem status -1 ou 999',
  'not carried out; the connection is reset': 'não efetivada; a conexão cai',
  'carried out; the connection is reset': 'efetivada; a conexão cai',
  'carried out; half of the body comes, then nothing': 'efetivada; vem metade do corpo e depois nada',
  'carried out; half of the body comes, then the connection ends':
    'efetivada; vem metade do corpo e depois a conexão termina',
  'carried out; the body is not JSON': 'efetivada; o corpo não é JSON',
  'carried out; right after the response, the kept connection closes':
    'efetivada; logo depois da resposta, a conexão mantida é fechada',
  'Expected `--clear` alone: it removes every fault.': 'Passe `--clear` sozinho: ele remove todas as falhas.',
  'All faults are removed.': 'Todas as falhas foram removidas.',
  'the next call': 'a próxima chamada',
  'the next {times} calls': 'as próximas {times} chamadas',
  '{operation}: {what} on {calls}.': '{operation}: {what} para {calls}.',
  'carried out,': 'efetivada,',
  'Expected `--status` of `body-status` to be -1 or 999.':
    '`--status` de `body-status` precisa ser -1 ou 999.',

  // demo
  amount: 'valor',
  'Show the whole job on this machine: create, pay, be notified, query, cancel':
    'Mostra tudo nesta máquina: criar, pagar, ser notificado, consultar, cancelar',
  Network: 'Rede',
  'Nothing leaves this machine: the demo starts a sandbox and a listener of its own.':
    'Nada sai desta máquina: a demonstração inicia um sandbox e um listener próprios.',
  'The demo failed: expected {what}.': 'A demonstração falhou: era esperado {what}.',
  'The demo failed: {error}': 'A demonstração falhou: {error}',
  'All seven steps went as they should, in {seconds} s.':
    'As sete etapas ocorreram como deviam, em {seconds} s.',
  'the demo to take less than 15 s': 'que a demonstração levasse menos de 15 s',
  'a QR code': 'um QR Code',
  'a verified payment notification of this transaction':
    'uma notificação de pagamento verificada desta transação',
  'a forged notification to be refused': 'que uma notificação forjada fosse recusada',
  'the transaction to be PAID': 'que a transação estivesse PAID',
  'a scheduled payment': 'um pagamento agendado',
  'the cancellation to succeed': 'que o cancelamento desse certo',
  'an ApiError with outcome `refused`': 'um ApiError com outcome `refused`',
  'a lost answer': 'uma resposta perdida',
  'one QR code': 'um único QR Code',
  '1. Start a local sandbox of the service, and a listener like that of your backend':
    '1. Iniciar um sandbox local do serviço e um listener como o do seu backend',
  sandbox: 'sandbox',
  listener: 'listener',
  '2. Create a recurring-payment journey': '2. Criar uma jornada de pagamento recorrente',
  transaction: 'transação',
  '{now} now, then {later} a month': '{now} agora, depois {later} por mês',
  'copy & paste': 'copia e cola',
  'It can be scanned, but no bank will pay it: it points to a host that does not exist.':
    'Ele pode ser lido, mas nenhum banco vai pagá-lo: ele aponta para um host que não existe.',
  '3. The payer pays, and the listener is notified': '3. O pagador paga, e o listener é notificado',
  credentials: 'credenciais',
  verified: 'verificadas',
  newStatus: 'newStatus',
  key: 'chave',
  answered: 'respondeu',
  'HTTP {status} after {ms} ms': 'HTTP {status} depois de {ms} ms',
  'forged one': 'forjada',
  'HTTP {status}, not acted on': 'HTTP {status}, sem efeito',
  '4. Query the transaction': '4. Consultar a transação',
  situation: 'situação',
  total: 'total',
  '5. Cancel a scheduled payment': '5. Cancelar um pagamento agendado',
  due: 'vencimento',
  answer: 'resposta',
  '6. Cancel it again: the service refuses, and the error says what that means':
    '6. Cancelar de novo: o serviço recusa, e o erro diz o que isso significa',
  outcome: 'outcome',
  'HTTP status': 'status HTTP',
  message: 'mensagem',
  'service says': 'serviço diz',
  '7. An answer is lost after its effect, and the payer still gets one QR code':
    '7. Uma resposta se perde depois de efetivada, e mesmo assim o pagador recebe um único QR Code',
  'first call': '1ª chamada',
  'two more': 'mais duas',
  '2 calls at once, 1 QR code': '2 chamadas simultâneas, 1 QR Code',
  'attempt {number}': 'tentativa {number}',

  // sandbox
  'Run a local sandbox of the service, with a web page and a live log':
    'Executa um sandbox local do serviço, com uma página web e um log ao vivo',
  'Port; 0 takes any free one (default: 4100)': 'Porta; 0 usa qualquer uma livre (padrão: 4100)',
  'Address to listen on (default: 127.0.0.1); others need credentials from the environment':
    'Endereço em que ele escuta (padrão: 127.0.0.1); outros exigem credenciais no ambiente',
  'The URL by which others reach it, such as http://sandbox:4100':
    'A URL pela qual os outros chegam a ele, como http://sandbox:4100',
  'Where notifications go: https, or this machine': 'Para onde vão as notificações: https, ou esta máquina',
  'Time from a failed delivery to its retry (default: 60000)':
    'Tempo entre uma entrega que falhou e a retentativa (padrão: 60000)',
  'Print the log as NDJSON: started, request, delivery, stopped':
    'Imprime o log como NDJSON: started, request, delivery, stopped',
  'Control it': 'Controle',
  'Open its URL in a browser, or use pay, refund, reverse, pay-out, list, resend and fault in another terminal.':
    'Abra a URL dele em um navegador, ou use pay, refund, reverse, pay-out, list, resend e fault em outro terminal.',
  'Something else has the port: pass another `--port`, or 0 for any free one.':
    'Outro programa usa a porta: passe outra em `--port`, ou 0 para qualquer uma livre.',
  'The sandbox cannot listen on that host and port ({code}).':
    'O sandbox não consegue escutar nesse host e nessa porta ({code}).',
  'Expected another `port`: `fetch` and browsers refuse to call this one.':
    'Passe outra porta em `--port`: o `fetch` e os navegadores se recusam a chamar essa.',
  'Expected `publicUrl` to be an absolute http or https URL.':
    '`--public-url` precisa ser uma URL http ou https absoluta.',
  'The sandbox would be open to the network with its default credentials, which everybody knows. Listen on 127.0.0.1 without a `publicUrl` beyond this machine, or set your own pair: `credentials`, or PAYMENTS_API_KEY and PAYMENTS_API_TOKEN in the environment of the command line.':
    'O sandbox ficaria aberto à rede com as credenciais padrão, que todos conhecem. Escute em 127.0.0.1, sem uma `--public-url` de fora desta máquina, ou defina o seu próprio par em PAYMENTS_API_KEY e PAYMENTS_API_TOKEN.',
  'The sandbox is up:': 'O sandbox está no ar:',
  'It is open to the network, because of --host {host}: whoever reaches this machine and has the pair can use it, and can read everything in it.':
    'Ele está aberto à rede, por causa de --host {host}: quem chegar a esta máquina e tiver o par pode usá-lo e ler tudo o que há nele.',
  'Its page asks for the same pair: the key as user name, the token as password.':
    'A página dele pede o mesmo par: a chave como usuário, o token como senha.',
  'Point PaymentsClient.fromEnv() at it:': 'Aponte PaymentsClient.fromEnv() para ele:',
  "the sandbox's own pair, no secret": 'o par do próprio sandbox, não é segredo',
  'PAYMENTS_API_KEY and PAYMENTS_API_TOKEN: the same as here':
    'PAYMENTS_API_KEY e PAYMENTS_API_TOKEN: as mesmas daqui',
  'Notifications go nowhere yet: pass --webhook-url, or set a listener on its page.':
    'As notificações ainda não vão para lugar nenhum: passe --webhook-url, ou defina um listener na página dele.',
  'Notifications go to {url}': 'As notificações vão para {url}',
  'Once your client has created a journey, in another terminal:':
    'Quando o seu código tiver criado uma jornada, em outro terminal:',
  'also: refund, reverse, pay-out, list, resend, fault. See npx pix-automatic-sdk --help':
    'e também: refund, reverse, pay-out, list, resend, fault. Veja npx pix-automatic-sdk --help',
  'Ctrl+C ends it.': 'Ctrl+C encerra.',
  'Stopped.': 'Encerrado.',
  'connection ended': 'conexão encerrada',
  'fault: {fault}': 'falha: {fault}',
  'not delivered': 'não entregue',
  'next attempt in {seconds} s': 'próxima tentativa em {seconds} s',
  redelivered: 'reenviada',

  // verify
  'Run a checklist against your listener, and tell what to fix':
    'Aplica uma lista de verificações ao seu listener e diz o que corrigir',
  'The listener, instead of the argument: https, or this machine':
    'O listener, em vez do argumento: https, ou esta máquina',
  'Use real sales of this running sandbox; see below':
    'Usa vendas reais deste sandbox em execução; veja abaixo',
  'Where a POST creates an order in your shop, with its journey; see below':
    'Onde um POST cria um pedido na sua loja, com a jornada dele; veja abaixo',
  'A URL that answers how many actions the listener has taken so far; see below':
    'Uma URL que responde quantas ações o listener já executou; veja abaixo',
  'How long an action may take to be counted (default: 1000)':
    'Quanto tempo uma ação pode levar para ser contada (padrão: 1000)',
  'How long a response may take; the service documents no limit (default: 5000)':
    'Quanto tempo uma resposta pode levar; o serviço não documenta um limite (padrão: 5000)',
  'Accept that some checks could not run: exit code 0 instead of 3':
    'Aceita que algumas verificações não possam ser feitas: código de saída 0 em vez de 3',
  'Real sales': 'Vendas reais',
  'A listener that confirms payments with the service is right to refuse sales that exist nowhere. Start the sandbox, point the client of the listener at it, and pass --sandbox: each sale is then created and paid there. If the listener looks up its own orders, pass --shop, too: the URL of your shop where a POST creates an order and its journey. The body is {"referenceCode": "…"}, but the shop may choose another reference code. verify finds the journey in the sandbox.':
    'Um listener que confirma pagamentos com o serviço tem razão em recusar vendas que não existem. Inicie o sandbox, aponte para ele o client do listener e passe --sandbox: cada venda é então criada e paga lá. Se o listener procura os seus próprios pedidos, passe também --shop: a URL da sua loja em que um POST cria um pedido e a jornada dele. O corpo é {"referenceCode": "…"}, mas a loja pode escolher outro código de referência. O verify encontra a jornada no sandbox.',
  Effects: 'Efeitos',
  'Responses do not show whether a listener acted once, twice or never. In a test environment that gets no other notifications, let a URL answer GET with how much it has durably done so far, by kind:':
    'As respostas não mostram se um listener agiu uma vez, duas vezes ou nenhuma. Em um ambiente de teste que não recebe outras notificações, faça uma URL responder ao GET com o que ele já gravou de forma durável, por tipo:',
  'The names are {list}. A listener with an inbox and a worker counts the rows of its inbox as `inbox`. No credentials are sent there. Without --effects, the checks that need it are reported as not checked.':
    'Os nomes são {list}. Um listener com uma caixa de entrada e um worker conta as linhas da caixa de entrada como `inbox`. Nenhuma credencial é enviada para lá. Sem --effects, as verificações que precisam dele aparecem como não verificadas.',
  'every check ran and passed': 'toda verificação foi feita e passou',
  'a check failed': 'uma verificação falhou',
  'called wrongly, or it could not begin: the listener, the sandbox or --effects did not answer':
    'chamada incorreta, ou não foi possível começar: o listener, o sandbox ou --effects não respondeu',
  'no check failed, and some could not run (0 with --partial)':
    'nenhuma verificação falhou, e algumas não puderam ser feitas (0 com --partial)',
  'Expected the listener once: as an argument or with `--to`.':
    'Informe o listener uma só vez: como argumento ou com `--to`.',
  'Expected the URL of your listener, such as http://127.0.0.1:3000/webhooks.':
    'Informe a URL do seu listener, como http://127.0.0.1:3000/webhooks.',
  'Expected `--sandbox` with `--shop`: the journeys of your shop are looked up in that sandbox.':
    'Com `--shop`, passe também `--sandbox`: as jornadas da sua loja são procuradas nesse sandbox.',
  'Expected a POST to `--shop` to create a journey in the sandbox ({status}). Does the shop talk to that sandbox?':
    'Um POST em `--shop` deveria criar uma jornada no sandbox ({status}). A loja usa esse sandbox?',
  'no answer': 'sem resposta',
  'Expected `--effects` to answer 200 with the number of actions taken so far: a JSON number, or an object of numbers such as {"payment": 7, "refund": 5}, of at most 64 KiB and without a redirect.':
    '`--effects` precisa responder 200 com a quantidade de ações executadas até agora: um número JSON, ou um objeto de números como {"payment": 7, "refund": 5}, com no máximo 64 KiB e sem redirecionamento.',
  'The certificate of the `--effects` URL is not trusted ({code}). For a certificate of your own in a test environment, set NODE_EXTRA_CA_CERTS, or let the URL answer over http on this machine.':
    'O certificado da URL de `--effects` não é confiável ({code}). Para um certificado próprio em um ambiente de teste, defina NODE_EXTRA_CA_CERTS, ou deixe a URL responder por http nesta máquina.',
  'The URL of `--effects` speaks another protocol ({code}): it is https here and plain http there, or the reverse.':
    'A URL de `--effects` fala outro protocolo ({code}): https aqui e http lá, ou o contrário.',
  'The URL of `--effects` cannot be reached ({code}). Is the listener running, and are its host and port right?':
    'Não foi possível chegar à URL de `--effects` ({code}). O listener está em execução, e o host e a porta estão certos?',
  'Checking {to} with the credentials of the environment.':
    'Verificando {to} com as credenciais do ambiente.',
  "Checking {to} with the sandbox's own credentials, because PAYMENTS_API_KEY and PAYMENTS_API_TOKEN are not set.":
    'Verificando {to} com as credenciais do próprio sandbox, porque PAYMENTS_API_KEY e PAYMENTS_API_TOKEN não estão definidas.',
  'Without --sandbox, the sales are made up, and a listener that confirms payments refuses them. Start `npx pix-automatic-sdk sandbox`, point the client of the listener at it (PAYMENTS_BASE_URL), and pass --sandbox http://127.0.0.1:4100.':
    'Sem --sandbox, as vendas são fictícias, e um listener que confirma pagamentos as recusa. Inicie `npx pix-automatic-sdk sandbox`, aponte para ele o client do listener (PAYMENTS_BASE_URL) e passe --sandbox http://127.0.0.1:4100.',
  'Without --effects, half of the checks cannot run: responses do not show whether a listener acts. Add to the listener, and pass --effects http://127.0.0.1:3001:':
    'Sem --effects, metade das verificações não pode ser feita: as respostas não mostram se um listener age. Acrescente ao listener o código abaixo e passe --effects http://127.0.0.1:3001:',
  'Armed faults of the sandbox that are set aside meanwhile, and put back afterwards: {count}.':
    'Falhas armadas do sandbox que ficam de lado enquanto isso e são rearmadas depois: {count}.',
  'A response takes about {seconds} s: the whole run takes about {minutes} min.':
    'Uma resposta leva cerca de {seconds} s: a execução toda leva cerca de {minutes} min.',
  '{title}: not checked': '{title}: não verificado',
  'Why: {why}': 'Por quê: {why}',
  'Fix: {fix}': 'Correção: {fix}',
  '1 passed': '1 passou',
  '{count} passed': '{count} passaram',
  '1 failed': '1 falhou',
  '{count} failed': '{count} falharam',
  '1 not checked': '1 não verificada',
  '{count} not checked': '{count} não verificadas',
  'Not checked is not passed: exit code 3. --partial accepts it.':
    'Não verificada não quer dizer aprovada: código de saída 3. --partial aceita isso.',
  'the first notification was not accepted': 'a primeira notificação não foi aceita',
  '{sent}; then nothing listened any more': '{sent}; depois disso, ninguém mais escutava',
  'the listener has a rate limit (HTTP 429 after {count} notifications): raise it while verify runs, which sends some hundreds':
    'o listener tem um limite de requisições (HTTP 429 depois de {count} notificações): aumente-o enquanto o verify roda, pois ele envia algumas centenas',
  'stopped after {count} timeouts in a row': 'interrompida depois de {count} timeouts seguidos',
  'a probe': 'uma sondagem',
  'the payment of a sale': 'o pagamento de uma venda',
  'responses do not show whether the listener acts: give the address that counts its actions (--effects)':
    'as respostas não mostram se o listener age: informe o endereço que conta as ações dele (--effects)',
  '{sent}, so there was nothing to compare with': '{sent}; por isso, não havia com o que comparar',
  'nothing was accepted': 'nada foi aceito',
  'no payment was accepted': 'nenhum pagamento foi aceito',

  // Names of what verify sends
  payment: 'pagamento',
  'sale REVERSAL': 'venda REVERSAL',
  'reversal PENDING': 'estorno PENDING',
  'reversal PAID': 'estorno PAID',
  'reversal CANCELLED': 'estorno CANCELLED',
  refund: 'devolução',
  payout: 'repasse',
  'failed payout': 'repasse que falhou',
  'a {kind}': '{kind}',
  'a payment': 'um pagamento',

  // verify: reachable
  'Can be reached, and accepts a payment with the right credentials':
    'Pode ser alcançado e aceita um pagamento com as credenciais certas',
  'A payment notification with the right credentials, as the service sends it.':
    'Uma notificação de pagamento com as credenciais certas, como o serviço a envia.',
  'A listener that accepts nothing learns of no payment: after six attempts each notification is lost.':
    'Um listener que não aceita nada não fica sabendo de nenhum pagamento: depois de seis tentativas, cada notificação se perde.',
  'Start the listener, and check the URL and its port. For a certificate of your own, set NODE_EXTRA_CA_CERTS.':
    'Inicie o listener e confira a URL e a porta. Para um certificado próprio, defina NODE_EXTRA_CA_CERTS.',
  'It parses the body twice. Take the parsed body as it is (`request.body` after a body parser), or parse the raw body once, but not both. `toNodeListener` takes either.':
    'Ele interpreta o corpo duas vezes. Use o corpo já interpretado como está (`request.body` depois de um body parser), ou interprete o corpo bruto (raw body) uma vez, mas não os dois. `toNodeListener` aceita qualquer um.',
  'One side speaks plain http and the other https: the listener speaks plain http behind an https URL, or the reverse.':
    'Um lado fala http e o outro https: o listener fala http atrás de uma URL https, ou o contrário.',
  "The listener's certificate is not trusted (expired, self-signed, of another host name, or without its chain), and the service may refuse it too. For a certificate of your own in a test environment, set NODE_EXTRA_CA_CERTS.":
    'O certificado do listener não é confiável (vencido, autoassinado, de outro host, ou sem a cadeia), e o serviço também pode recusá-lo. Para um certificado próprio em um ambiente de teste, defina NODE_EXTRA_CA_CERTS.',
  'It redirects, and the service does not follow redirects: the notification is lost. Register the URL that the redirect leads to, with its scheme, host and final slash; keep the query; and put no log-in page in front of it.':
    'Ele redireciona, e o serviço não segue redirecionamentos: a notificação se perde. Registre a URL de destino do redirecionamento, com esquema, host e barra final; mantenha a query string; e não ponha uma página de login na frente.',
  'Give the listener the pair that is in PAYMENTS_API_KEY and PAYMENTS_API_TOKEN here (document section 5). It compares the `Authorization` header with `Basic ` and the Base64 of key, colon and token. If the pair is the same, look at how it reads the header: Node lists it as `request.headers.authorization`, in lower case.':
    'Configure no listener o par que está aqui em PAYMENTS_API_KEY e PAYMENTS_API_TOKEN (documentação, seção 5). Ele compara o header `Authorization` com `Basic ` e o Base64 de chave, dois-pontos e token. Se o par é o mesmo, veja como ele lê o header: o Node o lista como `request.headers.authorization`, em minúsculas.',
  'Its rate limit is used up: raise it for the service, or leave its notifications out of it. A refused one comes again after a minute, five times.':
    'O limite de requisições dele se esgotou: aumente-o para o serviço, ou deixe as notificações fora dele. Uma notificação recusada volta depois de um minuto, cinco vezes.',
  'It refuses the media type. The service sends `application/json`, without more: no charset, and no other type (document section 6.1).':
    'Ele recusa o tipo de mídia. O serviço envia `application/json` e nada mais: sem charset e sem outro tipo (documentação, seção 6.1).',
  "It does not read the JSON body. Put a body parser in front of it (Express: `app.use(express.json())`), or read the raw body. `toNodeListener` works with and without a body parser. The listener's log has the error.":
    'Ele não lê o corpo JSON. Ponha um body parser antes dele (Express: `app.use(express.json())`), ou leia o corpo bruto (raw body). `toNodeListener` funciona com e sem body parser. O erro está no log do listener.',
  'Its route needs a query, and payments come without a query, other than that of the registered URL (document section 6.2).':
    'A rota dele exige uma query string, e os pagamentos vêm sem nenhuma além da que está na URL registrada (documentação, seção 6.2).',
  'It compares the name of the header in one case. Names of headers have no case: the document writes `Authorization`, and over HTTP/2 and behind many proxies it comes as `authorization`. Look it up by a function that ignores case (`request.headers.get`, in Python `self.headers.get`), not in a dictionary of your own.':
    'Ele diferencia maiúsculas de minúsculas no nome do header. Nomes de headers não fazem essa diferença: a documentação escreve `Authorization`, e por HTTP/2 e atrás de muitos proxies ele chega como `authorization`. Procure-o com uma função que ignore a diferença (`request.headers.get`, em Python `self.headers.get`), não em um dicionário próprio.',
  'It answers with an error to everything, whatever the body is (502, 503, 504: the process behind the balancer or proxy is down, not ready or overloaded, or it refuses everything while something that it needs is away, such as its database). Look at its health check and its log, and start again once it answers.':
    'Ele responde com erro a tudo, seja qual for o corpo (502, 503, 504: o processo atrás do balanceador ou proxy caiu, não está pronto ou está sobrecarregado, ou recusa tudo enquanto falta algo de que precisa, como o banco de dados). Veja o health check e o log dele, e comece de novo quando ele responder.',
  'It finds the payload invalid, and is stricter than the document: its answer or its log names the field. An amount has decimals, and a field that is not marked as required may be missing (document section 6.2).':
    'Ele considera o payload inválido e é mais rígido que a documentação: a resposta ou o log dele diz qual é o campo. Um valor tem casas decimais, e um campo que não é marcado como obrigatório pode faltar (documentação, seção 6.2).',
  'Check the path, and that it takes POST.': 'Confira o caminho e se ele aceita POST.',
  "Look into the listener's log.": 'Olhe o log do listener.',
  'The sale exists in the sandbox: if the listener confirms payments, point its client at that sandbox; if it looks up its own orders, pass --shop, so that your shop creates them.':
    'A venda existe no sandbox: se o listener confirma pagamentos, aponte o client dele para esse sandbox; se ele procura os seus próprios pedidos, passe --shop, para que a sua loja os crie.',
  'The sale was made up. If the listener confirms payments or looks up orders, which is right, start the sandbox, point the client of the listener at it, and pass --sandbox here: then the sales exist. A fault that is still armed in that sandbox also makes it refuse: `fault --clear`.':
    'A venda é fictícia. Se o listener confirma pagamentos ou procura pedidos, o que é certo, inicie o sandbox, aponte para ele o client do listener e passe --sandbox aqui: então as vendas existem. Uma falha ainda armada nesse sandbox também o faz recusar: `fault --clear`.',
  'a body of no known kind was accepted, so the listener refuses this payment, not every body':
    'um corpo de tipo desconhecido foi aceito; portanto, o listener recusa este pagamento, e não qualquer corpo',

  '{number} of {all}, about {seconds} s left': '{number} de {all}, faltam cerca de {seconds} s',

  // verify: amounts
  'Takes every amount': 'Aceita qualquer valor',
  'Payments of 19.99, 1.15 and 1.10. With `--shop`, of the amounts that the shop chooses.':
    'Pagamentos de 19,99, 1,15 e 1,10. Com `--shop`, dos valores que a loja escolher.',
  'A listener that turns an amount into cents without rounding refuses every twentieth payment, or books it a cent short.':
    'Um listener que converte um valor em centavos sem arredondar recusa um pagamento a cada vinte, ou o lança com um centavo a menos.',
  'Round when you turn an amount into cents: `Math.round(amount * 100)`, in Python `round(amount * 100)`. 19.99 * 100 is 1998.9999999999998: `BigInt` throws, `int` cuts it, and it equals no number of cents. Or compare the amounts as they are: 19.99 is 19.99.':
    'Arredonde ao converter um valor em centavos: `Math.round(amount * 100)`, em Python `round(amount * 100)`. 19.99 * 100 é 1998.9999999999998: `BigInt` lança um erro, `int` trunca, e isso não é igual a nenhum número de centavos. Ou compare os valores como são: 19.99 é 19.99.',
  'a payment of R$ {amount}': 'um pagamento de R$ {amount}',

  // verify: kinds, acts, right-kind
  'Accepts every kind of notification': 'Aceita todos os tipos de notificação',
  'One of each kind and status, failed payouts included. What is refused comes again after the payment of its sale.':
    'Uma de cada tipo e status, inclusive repasses que falharam. O que é recusado volta depois do pagamento da venda.',
  'A refused notification comes five more times and is then lost. A process that crashes loses the next payments, too.':
    'Uma notificação recusada vem mais cinco vezes e depois se perde. Um processo que cai perde também os próximos pagamentos.',
  'Answer 200 to every kind, even to those that you do nothing about. A payout that failed has no receipt and another `status`; a sale may have a `newStatus` other than `PAID` (document section 6).':
    'Responda 200 a todos os tipos, mesmo àqueles com que você não faz nada. Um repasse que falhou não tem comprovante e tem outro `status`; uma venda pode ter um `newStatus` diferente de `PAID` (documentação, seção 6).',
  'Its route refuses every URL with a query, and the service tells reversals, refunds and payouts by one (document sections 6.3 to 6.5). Find the route by `new URL(request.url, …).pathname`: compare the path alone.':
    'A rota dele recusa qualquer URL com query string, e é por ela que o serviço indica estornos, devoluções e repasses (documentação, seções 6.3 a 6.5). Encontre a rota por `new URL(request.url, …).pathname`: compare só o caminho.',
  'It knows a payout by `type=payout`. A failed payout carries `payout=true` alone in the document (section 6.5): either of them makes a payout.':
    'Ele reconhece um repasse por `type=payout`. Na documentação, um repasse que falhou traz só `payout=true` (seção 6.5): qualquer um dos dois indica um repasse.',
  '{kind} after its payment': '{kind} depois do pagamento',
  'a failed payout with type=payout': 'um repasse que falhou com type=payout',
  'Acts on what it accepts': 'Trata o que aceita',
  'The count of `--effects` after each of them: the counter of its kind must move by 1.':
    'A contagem de `--effects` depois de cada uma: o contador do tipo precisa aumentar em 1.',
  'The service does not resend what was answered with 200. If a payment is accepted but not acted on, its order is never shipped.':
    'O serviço não reenvia o que recebeu 200. Se um pagamento é aceito mas não é tratado, o pedido nunca é enviado.',
  'Act before you answer 200, and check how the listener recognizes a payment: the field `newStatus` of a sale is `PAID` when it is paid (document section 6.2). An empty or unparsed body is another common cause. If the listener does act, let --effects count it.':
    'Trate a notificação antes de responder 200 e confira como o listener reconhece um pagamento: o campo `newStatus` de uma venda paga é `PAID` (documentação, seção 6.2). Um corpo vazio ou não interpretado é outra causa comum. Se o listener já age, faça --effects contar isso.',
  'a payment was accepted, but nothing was counted': 'um pagamento foi aceito, mas nada foi contado',
  '--effects has only other names than {list}': '--effects só tem nomes diferentes de {list}',
  'one {kind} moved the count of `{counter}` by {moved}':
    'uma única notificação ({kind}) mudou a contagem de `{counter}` em {moved}',
  '--effects counts `{name}`, but no notification changed that count':
    '--effects conta `{name}`, mas nenhuma notificação mudou essa contagem',
  'Act once for one notification: look for a line that books twice, or a handler that is registered twice. If it acts once, let each notification move its counter of --effects by 1. Only counters of other names may move by more.':
    'Aja uma vez por notificação: procure uma linha que lança duas vezes, ou um handler registrado duas vezes. Se ele age uma vez só, faça cada notificação mudar o seu contador de --effects em 1. Só contadores com outros nomes podem mudar mais.',
  'Tells the kinds of notifications apart': 'Distingue os tipos de notificação',
  'Whether one kind moves the counter of another: a `newStatus` that is not `PAID`, failed payouts, and a refund without its query, which gateways may drop.':
    'Se um tipo altera o contador de outro: um `newStatus` que não é `PAID`, repasses que falharam, e uma devolução sem a query string, que um gateway pode descartar.',
  'An order that is marked paid by a reversal or a refund is shipped while its money goes back.':
    'Um pedido marcado como pago por um estorno ou uma devolução é enviado enquanto o dinheiro volta.',
  'Mark an order paid only when the query has no flag of another kind and `newStatus` is `PAID`; a `saleToken` alone proves nothing, because refunds and sales with `REVERSAL` have one too (document sections 6.2 to 6.5). Look at the query and at the body, as `parseNotification` does.':
    'Marque um pedido como pago só quando a query string não indica outro tipo e `newStatus` é `PAID`; um `saleToken` sozinho não prova nada, porque devoluções e vendas com `REVERSAL` também têm um (documentação, seções 6.2 a 6.5). Olhe a query string e o corpo, como faz `parseNotification`.',
  'one number for everything does not tell kinds apart: let --effects answer an object such as {"payment": 7, "refund": 5}':
    'um único número para tudo não distingue os tipos: faça --effects responder um objeto como {"payment": 7, "refund": 5}',
  '{what} was counted as `{counter}`': 'contou como `{counter}`: {what}',
  'a refund without its query': 'uma devolução sem a query string',
  'a refund without its query was accepted, but not counted as `refund`: the listener takes the kind from the query alone':
    'uma devolução sem a query string foi aceita, mas não contou como `refund`: o listener reconhece o tipo só pela query string',
  'a sale with the newStatus {newStatus}': 'uma venda com o newStatus {newStatus}',
  '{payment} of these were counted as `payment`: a refund without its query, and sales with the `newStatus` {list}':
    '{payment} destas contaram como `payment`: uma devolução sem a query string e vendas com o `newStatus` {list}',

  // verify: unknown-fields, missing-fields, bodies
  'Accepts fields that it does not know': 'Aceita campos que não conhece',
  'Each kind with unknown fields in the payload and in each of its objects.':
    'Cada tipo com campos desconhecidos no payload e em cada objeto dele.',
  'When the service adds a field, a strict listener refuses every notification.':
    'Quando o serviço acrescenta um campo, um listener rígido recusa todas as notificações.',
  'Read the fields that you need, and leave the others alone: the service may add some at any time (its document shows no compatibility policy, section 9). Do not use `strict()` or `additionalProperties: false` for notifications.':
    'Leia os campos de que precisa e ignore os outros: o serviço pode acrescentar campos a qualquer momento (a documentação não mostra uma política de compatibilidade, seção 9). Não use `strict()` nem `additionalProperties: false` para notificações.',
  'no kind was accepted without unknown fields': 'nenhum tipo foi aceito sem campos desconhecidos',
  '{kind} with unknown fields': '{kind} com campos desconhecidos',
  'Copes with fields that are missing or null': 'Lida com campos ausentes ou null',
  'Each kind many times, each time with one field left out or `null`: any but those for identity, order, state and amount.':
    'Cada tipo muitas vezes, cada vez com um campo omitido ou `null`: qualquer um, exceto os de identidade, pedido, estado e valor.',
  'The document does not promise every field. If one is missing, the payment is refused six times and lost.':
    'A documentação não garante todos os campos. Se falta um, o pagamento é recusado seis vezes e se perde.',
  'Read fields with care, first those that are named above: `payload.shopper?.email ?? undefined`. Identity and state are always there; a shopper, bank details, a receipt or one of the two refund amounts may be missing or `null` (document sections 6.2 to 6.5). The types of `parseNotification` show which.':
    'Leia os campos com cuidado, primeiro os citados acima: `payload.shopper?.email ?? undefined`. Identidade e estado sempre vêm; o comprador, os dados bancários, o comprovante ou um dos dois valores da devolução podem faltar ou ser `null` (documentação, seções 6.2 a 6.5). Os tipos de `parseNotification` mostram quais.',
  'no kind was accepted with all of its fields': 'nenhum tipo foi aceito com todos os campos',
  'accepted and not acted on: {names}': 'aceito e não tratado: {names}',
  'accepted and not acted on: some notifications of kind {kind}':
    'aceitas e não tratadas: algumas notificações do tipo {kind}',
  '{kind} with `{path}` left out': '{kind} sem `{path}`',
  '{kind} with `{path}` null': '{kind} com `{path}` null',
  'Reads long bodies, and every letter': 'Lê corpos longos e todas as letras',
  'Payments of 1, 10 and 150 KB, one for João, and one that comes in two pieces, cut within a letter. With `--sandbox` also with such letters in the reference code.':
    'Pagamentos de 1, 10 e 150 KB, um de João, e um que chega em dois pedaços, cortado dentro de uma letra. Com `--sandbox`, também com letras assim no código de referência.',
  'A listener that misreads the body refuses the payment in all six deliveries, or books it for another order.':
    'Um listener que lê mal o corpo recusa o pagamento nas seis entregas, ou o lança em outro pedido.',
  'Accept bodies of 1 MB: the document shows no limit (section 8). Some body parsers take 100 KiB by default (Express: `express.json({ limit: "1mb" })`). Read the whole body, to the end of the request, before you parse it.':
    'Aceite corpos de 1 MB: a documentação não mostra um limite (seção 8). Alguns body parsers aceitam 100 KiB por padrão (Express: `express.json({ limit: "1mb" })`). Leia o corpo inteiro, até o fim da requisição, antes de interpretá-lo.',
  'Read the body as UTF-8, and take `content-length` for bytes, not letters: names, reasons and reference codes have letters such as ã and ç.':
    'Leia o corpo como UTF-8 e trate `content-length` como bytes, não como letras: nomes, motivos e códigos de referência têm letras como ã e ç.',
  "Read the whole body before you decode it: a letter such as ã may come in two pieces. Use `Buffer.concat`, `request.setEncoding('utf8')` or a body parser; `body += chunk` breaks the letter.":
    "Leia o corpo inteiro antes de decodificá-lo: uma letra como ã pode chegar em dois pedaços. Use `Buffer.concat`, `request.setEncoding('utf8')` ou um body parser; `body += chunk` quebra a letra.",
  'Keep the idempotency key for days at least, where a restart does not lose it: the service sends a notification again for minutes (document section 6.1), and nothing says that none comes later. A window of seconds or the last few keys are not enough. `createWebhookHandler` with a store does this.':
    'Guarde a chave de idempotência por dias, no mínimo, onde um reinício não a perca: o serviço reenvia uma notificação por minutos (documentação, seção 6.1), e nada diz que não venha outra mais tarde. Uma janela de segundos ou as últimas chaves não bastam. `createWebhookHandler` com um store faz isso.',
  'the first payment of this run, once more': 'o primeiro pagamento desta execução, mais uma vez',
  'the first payment of this run came once more, and was acted on again':
    'o primeiro pagamento desta execução veio mais uma vez e foi tratado de novo',
  'Ask the service about each notification, and cache no answer: a sale that was pending a moment ago is paid now. In Next.js pass `cache: "no-store"`, as `PaymentsClient` does.':
    'Consulte o serviço a cada notificação e não guarde respostas em cache: uma venda que estava pendente há um instante agora está paga. No Next.js, passe `cache: "no-store"`, como faz o `PaymentsClient`.',
  'the same payment, once its sale was paid': 'o mesmo pagamento, depois de a venda ser paga',
  '{sent}, and it was not acted on': '{sent}, e não foi tratado',
  'right pair and a third part after a colon': 'par certo e uma terceira parte depois de dois-pontos',
  'a payment with the right pair under `authorization`, in lower case':
    'um pagamento com o par certo em `authorization`, em minúsculas',
  'a payment of {bytes} bytes': 'um pagamento de {bytes} bytes',
  'a payment for João': 'um pagamento de João',
  'a payment for João, in two pieces': 'um pagamento de João, em dois pedaços',
  'a payment with letters such as ã in its reference code':
    'um pagamento com letras como ã no código de referência',
  'a payment with letters such as ã in its reference code, in two pieces':
    'um pagamento com letras como ã no código de referência, em dois pedaços',
  '{missing} of these payments were accepted and not acted on':
    '{missing} desses pagamentos foram aceitos e não tratados',
  '{sent}, although the service confirms it': '{sent}, embora o serviço o confirme',

  // verify: duplicates, burst, one-sale, order
  'Acts once on duplicates, and accepts them': 'Trata duplicatas uma vez só e as aceita',
  'Each of them twice, and a third time with its fields in another order; a payment, a refund and a payout five times at once; and the first payment of the run once more. Each must be acted on once, and answered with 200 when it comes again.':
    'Cada uma duas vezes, e uma terceira com os campos em outra ordem; um pagamento, uma devolução e um repasse cinco vezes ao mesmo tempo; e o primeiro pagamento da execução mais uma vez. Cada um precisa ser tratado uma vez, e receber 200 quando volta.',
  'The service sends a notification again if it got no 200 in time. A listener that acts again ships goods or books money twice.':
    'O serviço reenvia uma notificação que não recebeu 200 a tempo. Um listener que age de novo envia a mercadoria ou lança o dinheiro duas vezes.',
  'Record the idempotency key of what you have acted on, in the same transaction or by a claim beforehand, and answer 200 to what is already recorded (document section 6.1). Take the key from the fields, never from the whole body: the same notification may come with its fields in another order. `createWebhookHandler` with a store does this.':
    'Grave a chave de idempotência do que você tratou, na mesma transação ou por uma reserva (claim) antes, e responda 200 ao que já está gravado (documentação, seção 6.1). Monte a chave com os campos, nunca com o corpo inteiro: a mesma notificação pode vir com os campos em outra ordem. `createWebhookHandler` com um store faz isso.',
  'first {kind}': '{kind}, a primeira vez',
  '{kind}, sent again': '{kind}, reenvio',
  '{kind}, sent again with its fields in another order': '{kind}, reenvio com os campos em outra ordem',
  '{count} actions were counted for notifications that were sent again, with their fields in the same or in another order':
    '{count} ações foram contadas para notificações reenviadas, com os campos na mesma ordem ou em outra',
  'a {kind} sent 5 times at once': '{kind}, enviado 5 vezes ao mesmo tempo',
  '{moved} actions were counted for a {kind} sent 5 times at once; a single one counts {unit}':
    '{moved} ações foram contadas ({kind}, enviado 5 vezes ao mesmo tempo); uma única notificação conta {unit}',
  'no action was counted for a {kind} sent 5 times at once':
    'nenhuma ação foi contada ({kind}, enviado 5 vezes ao mesmo tempo)',
  'Acts on each of several payments that come at once': 'Trata cada um de vários pagamentos simultâneos',
  'Five payments of five sales at the same moment. Those that are refused are sent again, one by one.':
    'Cinco pagamentos de cinco vendas no mesmo instante. Os que são recusados são enviados de novo, um por um.',
  'A listener that answers 200 while it is too busy to act loses those payments: the service does not send them again.':
    'Um listener que responde 200 quando está ocupado demais para agir perde esses pagamentos: o serviço não os reenvia.',
  'Answer 200 only to what you have acted on or have seen before, and 503 while you are busy: the service retries (document section 6.1). Lock each payment by its own key. Do not use one flag for all payments, or one lock that gives up.':
    'Responda 200 só ao que você tratou ou já viu antes, e 503 enquanto estiver ocupado: o serviço faz retentativas (documentação, seção 6.1). Bloqueie cada pagamento pela própria chave. Não use uma só flag para todos os pagamentos, nem um só lock que desiste.',
  'one of 5 payments at once': 'um de 5 pagamentos simultâneos',
  '{counted} actions were counted for {accepted} payments accepted at once; a single payment counts {unit}':
    '{counted} ações foram contadas para {accepted} pagamentos aceitos ao mesmo tempo; um único pagamento conta {unit}',
  'Acts on each notification of one sale, one reversal and one payout':
    'Trata cada notificação de uma venda, de um estorno e de um repasse',
  'A payment and then two partial refunds of that sale, of the same amount, which share its `saleToken`; a reversal with PENDING and then with PAID, and a payout that failed and then is PAID, which share their `uuid`. None of them is a duplicate.':
    'Um pagamento e depois duas devoluções parciais dessa venda, do mesmo valor, com o `saleToken` dela; um estorno com PENDING e depois com PAID, e um repasse que falhou e depois está PAID, com o mesmo `uuid`. Nenhum deles é uma duplicata.',
  'If a refund counts as a duplicate of the payment, it is never booked, and the customer is told nothing.':
    'Se uma devolução conta como duplicata do pagamento, ela nunca é lançada, e o cliente não fica sabendo.',
  'Deduplicate on kind, identity and status together. The partial refunds of a sale share their `saleToken` with its payment and differ in `refund.uuid`; two of them may have the same amount; a reversal keeps its `uuid` from PENDING to PAID, and so does a payout (document sections 6.2 to 6.5). `notification.key` combines all three.':
    'Identifique duplicatas por tipo, identidade e status juntos. As devoluções parciais de uma venda têm o mesmo `saleToken` do pagamento e diferem em `refund.uuid`; duas delas podem ter o mesmo valor; um estorno mantém o `uuid` de PENDING a PAID, e um repasse também (documentação, seções 6.2 a 6.5). `notification.key` combina os três.',
  'a partial refund of a sale whose payment came before':
    'uma devolução parcial de uma venda cujo pagamento veio antes',
  'a second partial refund of that sale, of the same amount':
    'uma segunda devolução parcial dessa venda, do mesmo valor',
  'a reversal PENDING': 'um estorno PENDING',
  'the same reversal PAID': 'o mesmo estorno PAID',
  'a payout that failed': 'um repasse que falhou',
  'the same payout PAID': 'o mesmo repasse PAID',
  'a refund, a reversal or a payout was refused': 'uma devolução, um estorno ou um repasse foi recusado',
  '{what} was accepted, but not acted on': 'aceito, mas não tratado: {what}',
  '{what} was answered like a duplicate, but is none': 'respondido como duplicata, sem ser: {what}',
  'a {kind} by itself': '{kind}, sozinho',
  'a {kind} by itself, sent again': '{kind}, sozinho, reenvio',
  'Accepts a notification that comes after a newer one':
    'Aceita uma notificação que chega depois de uma mais nova',
  'A reversal with PAID and then PENDING, and a sale with PAID and then PENDING: no count may fall.':
    'Um estorno com PAID e depois PENDING, e uma venda com PAID e depois PENDING: nenhuma contagem pode cair.',
  'A listener that refuses a late notification gets it five more times. One that goes back to the old state reopens a closed reversal.':
    'Um listener que recusa uma notificação atrasada a recebe mais cinco vezes. Um que volta ao estado antigo reabre um estorno encerrado.',
  'Answer 200 to a state that is over already, such as PENDING after PAID, and do not go back to it: a retry comes a minute or more late (document section 6.1). `context.handledStates` has the states that were handled before.':
    'Responda 200 a um estado já superado, como PENDING depois de PAID, e não volte a ele: uma retentativa chega um minuto ou mais depois (documentação, seção 6.1). `context.handledStates` tem os estados já tratados.',
  'the same sale PENDING, after PAID': 'a mesma venda PENDING, depois de PAID',
  'a reversal PAID': 'um estorno PAID',
  'the same reversal PENDING, after PAID': 'o mesmo estorno PENDING, depois de PAID',
  'reversals are not accepted in the right order either': 'estornos também não são aceitos na ordem certa',
  'a PENDING that came after PAID undid it: the count of `{name}` fell by {count}':
    'um PENDING que veio depois de PAID o desfez: a contagem de `{name}` caiu {count}',

  // verify: work-first, unknown-kinds, retry, confirms
  'Has done the work, or written it down, when it answers 200':
    'Já fez o trabalho, ou o gravou, quando responde 200',
  'Three payments, and the count of `--effects` right after the 200 of each; with `inbox` in it, that count alone.':
    'Três pagamentos, e a contagem de `--effects` logo depois do 200 de cada um; com `inbox` nela, só essa contagem.',
  'If the process ends between the 200 and the work, the payment is lost: the service does not send it again.':
    'Se o processo termina entre o 200 e o trabalho, o pagamento se perde: o serviço não o reenvia.',
  'Answer 200 only after the work, or after a durable write of it (a row, a job in a queue), and let --effects count that write: as `inbox` if a worker acts on it later. Await what you start, and start nothing after the response: no `setImmediate`, no promise without `await` (document section 6.1).':
    'Responda 200 só depois do trabalho, ou depois de gravá-lo de forma durável (uma linha, um job em uma fila), e faça --effects contar essa gravação: como `inbox` se um worker age depois. Espere o que você inicia e não inicie nada depois da resposta: nada de `setImmediate`, nem de promise sem `await` (documentação, seção 6.1).',
  '{late} of {sent} payments were answered with 200 before anything was counted':
    '{late} de {sent} pagamentos receberam 200 antes de qualquer contagem',
  'Accepts kinds that it does not know, and books nothing for them':
    'Aceita tipos que não conhece e não registra nenhum pagamento por causa deles',
  'JSON objects of no kind that the document shows, with fields of those that it shows; then a payment.':
    'Objetos JSON de nenhum tipo que a documentação mostra, com campos dos que ela mostra; depois, um pagamento.',
  'The service may send notifications of the recurring journey, which its document does not show. If you refuse them, they are lost.':
    'O serviço pode enviar notificações da jornada recorrente, que a documentação não mostra. Se você as recusa, elas se perdem.',
  'Answer 200 to a JSON object of no known kind, keep it, and look at it: the service may send notifications of the recurring journey, which its document does not show (document section 6.1). Describe it with `defineNotification`.':
    'Responda 200 a um objeto JSON de tipo desconhecido, guarde-o e examine-o: o serviço pode enviar notificações da jornada recorrente, que a documentação não mostra (documentação, seção 6.1). Descreva-o com `defineNotification`.',
  'Book nothing for a body that is of none of the kinds in the document: a `saleToken`, a `uuid` or the status PAID alone makes no payment, refund or payout (document sections 6.2 to 6.5). Keep it, and look at it.':
    'Não lance nada por um corpo que não é de nenhum tipo da documentação: um `saleToken`, um `uuid` ou o status PAID sozinho não faz um pagamento, uma devolução ou um repasse (documentação, seções 6.2 a 6.5). Guarde-o e examine-o.',
  'a body of no known kind': 'um corpo de tipo desconhecido',
  'a body of no known kind with an unknown flag':
    'um corpo de tipo desconhecido com um parâmetro desconhecido',
  'a body of no known kind with a `saleToken`': 'um corpo de tipo desconhecido com um `saleToken`',
  'a body of no known kind with the status PAID': 'um corpo de tipo desconhecido com o status PAID',
  'a body of no known kind (one of them with an unknown flag, a `saleToken` or the status PAID)':
    'um corpo de tipo desconhecido (entre eles, com um parâmetro desconhecido, um `saleToken` ou o status PAID)',
  'a payment after them': 'um pagamento depois deles',
  'nothing listens any more: a body of no known kind ended the process':
    'ninguém mais escuta: um corpo de tipo desconhecido encerrou o processo',
  'Acts on the retry of a notification that it failed on':
    'Trata a retentativa de uma notificação em que falhou',
  'What was answered with 500 or more, once more; with `--sandbox` also a payment with a wrong amount, and then the right one. What is then accepted must be acted on.':
    'O que recebeu 500 ou mais, outra vez; com `--sandbox`, também um pagamento com um valor errado e depois o certo. O que então é aceito precisa ser tratado.',
  'A payment that failed once, because the database was down, is answered "seen before" at each retry, and is never booked.':
    'Um pagamento que falhou uma vez, porque o banco de dados estava fora, é respondido como "já visto" em cada retentativa e nunca é lançado.',
  'Record the idempotency key together with the work, in one transaction, or give the claim back when the work fails (document section 6.1). `createWebhookHandler` records a key only after your callback is done.':
    'Grave a chave de idempotência junto com o trabalho, em uma única transação, ou devolva a reserva (claim) quando o trabalho falha (documentação, seção 6.1). `createWebhookHandler` só grava uma chave depois que o seu callback termina.',
  '{what} was answered with an error; its retry was answered with 200, but not acted on':
    '{what}: a resposta foi um erro; a retentativa recebeu 200, mas não foi tratada',
  'the right payment after it': 'o pagamento certo depois dele',
  'a payment with a wrong amount was answered with 200 and not acted on, and the right one after it was not acted on':
    'um pagamento com um valor errado recebeu 200 e não foi tratado, e o certo, depois dele, também não foi tratado',
  'a payment with a wrong amount was refused, and the right one after it was not acted on':
    'um pagamento com um valor errado foi recusado, e o certo, depois dele, não foi tratado',
  'Acts only on payments that the service confirms, and refuses them while it cannot ask':
    'Só trata pagamentos que o serviço confirma e os recusa enquanto não pode consultar',
  'With `--sandbox`: a payment while the transaction query answers 503, one with the amount 0.01, and one of a sale that nobody has paid, and the same once it is paid. The calls of the sandbox show whether the listener asks at all.':
    'Com `--sandbox`: um pagamento enquanto a consulta da transação responde 503, um com o valor 0.01, e um de uma venda que ninguém pagou, e o mesmo depois de ela ser paga. As chamadas do sandbox mostram se o listener consulta o serviço.',
  'A payment that cannot be confirmed and is answered with 200 is lost. If the amount is not compared, goods are shipped for a cent.':
    'Um pagamento que não pode ser confirmado e recebe 200 se perde. Se o valor não é comparado, a mercadoria sai por um centavo.',
  'Answer 500 or 503 when the service cannot be asked: the service sends the notification again (document section 6.1). Let `confirmPayment` or `getTransaction` throw; do not catch the error to answer 200.':
    'Responda 500 ou 503 quando não for possível consultar o serviço: ele reenvia a notificação (documentação, seção 6.1). Deixe `confirmPayment` ou `getTransaction` lançar o erro; não o capture para responder 200.',
  'Confirm with `confirmPayment` before you act: it compares situation, amount, currency and reference code with the transaction of the service. To look up the sale is not enough.':
    'Confirme com `confirmPayment` antes de agir: ele compara situação, valor, moeda e código de referência com a transação do serviço. Procurar a venda não basta.',
  'this check needs sales that exist: pass --sandbox':
    'esta verificação precisa de vendas que existem: passe --sandbox',
  'no payment was acted on': 'nenhum pagamento foi tratado',
  'a payment with the wrong amount 0.01': 'um pagamento com o valor errado 0.01',
  'a payment of a sale that nobody has paid': 'um pagamento de uma venda que ninguém pagou',
  'a payment with the wrong amount 0.01, or one of a sale that nobody has paid, was acted on':
    'foi tratado um pagamento com o valor errado 0.01, ou um de uma venda que ninguém pagou',
  'a payment while the transaction query answered 503':
    'um pagamento enquanto a consulta da transação respondia 503',
  'your listener does not confirm payments with the service before it acts':
    'o seu listener não confirma pagamentos com o serviço antes de agir',
  'your listener asks the service only after its 200, as the worker of an inbox does: count what the worker has done as `payment`, and what is written down before it as `inbox`':
    'o seu listener só consulta o serviço depois do 200, como faz o worker de uma caixa de entrada: conte o que o worker fez como `payment`, e o que é gravado antes como `inbox`',
  '{what}: your listener asked, got no answer, and acted all the same':
    '{what}: o seu listener consultou, ficou sem resposta e agiu mesmo assim',

  // verify: credentials, no-secrets, status-200, prompt
  'Rejects missing and wrong credentials, and does not act on such notifications':
    'Rejeita credenciais ausentes ou erradas e não trata essas notificações',
  'A payment with the right pair under `authorization`, which must be accepted; payments with no credentials, half of them, shortened or longer ones, another case or scheme; every other kind, and PUT, PATCH, DELETE and GET, without credentials. Each must get 401 or another 4xx in time, and must not be acted on.':
    'Um pagamento com o par certo em `authorization`, que precisa ser aceito; pagamentos sem credenciais, com metade delas, mais curtas ou mais longas, com maiúsculas e minúsculas trocadas ou outro esquema; todos os outros tipos, e PUT, PATCH, DELETE e GET, sem credenciais. Cada um precisa receber 401 ou outro 4xx a tempo, e não pode ser tratado.',
  'The URL of a listener is no secret. Anybody who finds it could mark orders as paid.':
    'A URL de um listener não é segredo. Quem a descobre poderia marcar pedidos como pagos.',
  'Compare the whole `Authorization` header with `Basic ` and the Base64 of key, colon and token, case-sensitively and in constant time, and answer 401 if they differ, before you read or do anything else (document section 5). Refuse to start without credentials. `createWebhookHandler` does all this; in a listener of your own, call `verifyAuthorization`.':
    'Compare o header `Authorization` inteiro com `Basic ` e o Base64 de chave, dois-pontos e token, diferenciando maiúsculas e em tempo constante, e responda 401 se diferirem, antes de ler ou fazer qualquer outra coisa (documentação, seção 5). Recuse-se a iniciar sem credenciais. `createWebhookHandler` faz tudo isso; em um listener próprio, chame `verifyAuthorization`.',
  'a payment with {pair}': 'um pagamento com {pair}',
  'a {kind} with no credentials': '{kind} sem credenciais',
  'a body of no known kind, with no credentials': 'um corpo de tipo desconhecido, sem credenciais',
  'a payment by {method} with no credentials': 'um pagamento por {method} sem credenciais',
  '{sent}; whether it acted shows only with --effects': '{sent}; se ele agiu, só aparece com --effects',
  '{count} actions were counted for notifications without the right credentials, those by {methods} among them':
    '{count} ações foram contadas para notificações sem as credenciais certas, entre elas as enviadas por {methods}',
  'no credentials': 'nenhuma credencial',
  'an empty pair': 'um par vazio',
  'nothing after the scheme': 'nada depois do esquema',
  'wrong key, right token': 'chave errada, token certo',
  'right key, wrong token': 'chave certa, token errado',
  'right key, no token': 'chave certa, sem token',
  'right token, no key': 'token certo, sem chave',
  'right key, token without its last character': 'chave certa, token sem o último caractere',
  'right key, only the first character of the token': 'chave certa, só o primeiro caractere do token',
  'right token, key without its last character': 'token certo, chave sem o último caractere',
  'right key, token with one character more': 'chave certa, token com um caractere a mais',
  'right token, key with one character more': 'token certo, chave com um caractere a mais',
  'token in another case': 'token com maiúsculas e minúsculas trocadas',
  'key in another case': 'chave com maiúsculas e minúsculas trocadas',
  'right pair whose Base64 is in lower case': 'par certo com o Base64 em minúsculas',
  'key and token swapped': 'chave e token trocados',
  'right pair under the scheme Bearer': 'par certo com o esquema Bearer',
  'right pair without a scheme': 'par certo sem esquema',
  'right pair that is not Base64-encoded': 'par certo sem codificação Base64',
  'Puts no credentials into its responses': 'Não põe credenciais nas respostas',
  'Whether the key, the token or their Base64 is in the headers or the body of any response.':
    'Se a chave, o token ou o Base64 deles está nos headers ou no corpo de alguma resposta.',
  'Anybody who sees such a response, for example in the log of a proxy, can send payments that your listener believes.':
    'Quem vê uma resposta assim, por exemplo no log de um proxy, consegue enviar pagamentos em que o seu listener acredita.',
  'Answer 401 with a fixed text. Never send headers, the expected value or an error with the request in it (document section 5). Change the credentials if the listener was public.':
    'Responda 401 com um texto fixo. Nunca envie headers, o valor esperado ou um erro que contenha a requisição (documentação, seção 5). Troque as credenciais se o listener esteve público.',
  'the token is in the response to {what}': 'o token está na resposta a: {what}',
  'the key is in the response to {what}': 'a chave está na resposta a: {what}',
  'the Base64 of both is in the response to {what}': 'o Base64 dos dois está na resposta a: {what}',
  'Accepts with 200 and with no other status': 'Aceita com 200 e com nenhum outro status',
  'Whether everything that was accepted was answered with 200.': 'Se tudo o que foi aceito recebeu 200.',
  'After 202 or 204 the service sends the notification again, five times, and counts the delivery as failed.':
    'Depois de 202 ou 204, o serviço reenvia a notificação, cinco vezes, e considera que a entrega falhou.',
  'Answer 200 when you have accepted a notification. The service knows no other success: after 202 or 204 it sends the notification again, five times (document section 6.1).':
    'Responda 200 quando aceitar uma notificação. O serviço não reconhece outro sucesso: depois de 202 ou 204, ele reenvia a notificação, cinco vezes (documentação, seção 6.1).',
  'Answers promptly': 'Responde sem demora',
  'Whether every response came within `--limit`.': 'Se toda resposta chegou dentro de `--limit`.',
  'A timeout is a failed delivery: the notification comes five more times. If each attempt times out, it is lost.':
    'Um timeout é uma entrega que falhou: a notificação vem mais cinco vezes. Se todas as tentativas dão timeout, ela se perde.',
  'Write the notification to a queue or a table, answer 200, and do the work afterwards. A timeout is a failed delivery, and causes retries (document section 6.1). The document does not say how long the service waits; choose a time with --limit.':
    'Grave a notificação em uma fila ou tabela, responda 200 e faça o trabalho depois. Um timeout é uma entrega que falhou e causa retentativas (documentação, seção 6.1). A documentação não diz quanto o serviço espera; escolha um tempo com --limit.',
  'there was no response': 'não houve resposta',
  '{late} of {all} responses took longer than {limitMs} ms; the slowest: {worst} after {durationMs} ms':
    '{late} de {all} respostas levaram mais de {limitMs} ms; a mais lenta: {worst} depois de {durationMs} ms',
} as const;
