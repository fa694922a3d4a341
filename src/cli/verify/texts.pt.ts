import type { en } from './texts.en';

/** What `verify` says, in Brazilian Portuguese. */
export const pt: Record<keyof typeof en, string> = {
  'run.noJourneyOfShop':
    'Um POST em `--shop` deveria criar uma jornada no sandbox ({status}). A loja usa esse sandbox?',
  'run.noAnswer': 'sem resposta',
  'run.effectsAnswer':
    '`--effects` precisa responder 200 com as linhas que o listener lançou, como [{"kind": "payment", "subject": "…", "amount": 59.7}], ou com contagens, como {"payment": 7}: JSON de no máximo 4 MiB, sem redirecionamento.',
  'run.effectsCertificate':
    'O certificado da URL de `--effects` não é confiável ({code}). Para um certificado próprio em um ambiente de teste, defina NODE_EXTRA_CA_CERTS, ou deixe a URL responder por http nesta máquina.',
  'run.effectsProtocol':
    'A URL de `--effects` fala outro protocolo ({code}): https aqui e http lá, ou o contrário.',
  'run.effectsUnreachable':
    'Não foi possível chegar à URL de `--effects` ({code}). O listener está em execução, e o host e a porta estão certos?',
  'run.notChecked': '{title}: não verificado',
  'run.cause': 'Causa: {cause}',
  'run.fix': 'Correção: {fix}',
  'run.counts':
    '{passed} {passed:passou|passaram}, {failed} {failed:falhou|falharam}, {open} não {open:verificado|verificados}; {sent} {sent:notificação enviada|notificações enviadas}.',
  'run.ended': 'A execução terminou aqui: {reason}',
  'run.exit3': 'Não verificado não quer dizer aprovado: código de saída 3. --partial aceita isso.',
  'run.notSeen': 'O que esta execução não consegue ver:',
  'run.progress': 'passo {number}',
  'run.firstNotAccepted': 'o primeiro pagamento não foi aceito, e por isso nada mais pôde ser julgado.',
  'run.firstNotBooked':
    'o primeiro pagamento foi aceito e nenhuma linha apareceu, e por isso nada mais pôde ser julgado.',
  'run.notBookedHow':
    '`--effects` lê o que o listener grava? Se o listener age depois, aumente --effects-wait; se ele só age sobre os próprios pedidos, passe --shop, para que a sua loja os crie.',
  'run.notBookedHowShop': '`--effects` lê o que o listener grava, e ele age dentro de --effects-wait?',
  'run.severalProcesses':
    'vários processos respondem, cada um com memória própria. Inicie um só, ou deixe-os compartilhar um store, e execute o verify de novo.',
  'run.everythingTwice':
    'uma única notificação é lançada duas vezes, e por isso todos os outros passos falhariam também.',
  'run.everythingAgain':
    'um pagamento que chega de novo é lançado de novo, e por isso todos os outros passos falhariam também.',
  'run.inCents': 'os valores de `--effects` estão em centavos.',
  'run.flapping': 'as linhas de `--effects` vão e vêm, embora nada seja enviado',
  'run.thenGone': '{what} encerrou a conexão sem resposta.',
  'run.rateLimit':
    'o listener tem um limite de requisições (HTTP 429 depois de {count} {count:notificação|notificações}): aumente-o enquanto o verify é executado.',
  'run.timeouts': 'nenhuma resposta chegou {count} vezes seguidas.',
  'run.nobodyLeft': 'ninguém mais escuta.',
  'run.withoutEffects': 'as respostas não mostram o que o listener lança: passe --effects',
  'run.withoutField': 'as linhas de `--effects` não têm `{field}`',
  'run.sameRow':
    'o {kind} já tinha uma linha quando estava PENDING, e por isso não se vê se o fim dele foi tratado: deixe `--effects` responder só os que estão PAID',
  'run.kindNotBooked':
    'nenhuma linha do tipo `{kind}` apareceu. Se o seu listener não faz nada com ele, deixe-o fora de --kinds; senão, ele se perde',
  'run.restartAsk': 'Reinicie o seu listener agora e tecle Enter quando ele responder de novo.',
  'run.restartNobody':
    'ninguém teclou Enter: --restart precisa de um terminal, ou de uma linha na entrada padrão',
  'begin.sandbox':
    'O sandbox não conseguiu fazer uma venda paga: {message} Ele está em execução, é rápido o bastante e tem a mesma versão deste comando?',
  'begin.nobody': 'Ninguém escuta na URL do listener ({code}). Inicie o listener e confira o host e a porta.',
  'begin.protocol':
    'Um lado fala http e o outro https ({code}): mude o esquema na URL do listener, ou a porta.',
  'begin.certificate':
    'O certificado do listener não é confiável ({code}: vencido, autoassinado, de outro host, ou sem a cadeia), e o serviço também pode recusá-lo. Para um certificado próprio em um ambiente de teste, defina NODE_EXTRA_CA_CERTS.',
  'step.first': 'Aceita e lança um pagamento',
  'step.processes': 'Responde como um só listener, com uma só memória',
  'step.again': 'Lança uma vez um pagamento que chega três vezes',
  'step.cents': 'Lança valores exatos até o centavo',
  'step.shopAmounts': 'Lança pagamentos com os valores que a loja escolhe',
  'step.alike': 'Lança duas vendas com o mesmo valor, dia e comprador',
  'step.refund': 'Lança uma devolução parcial de uma venda que foi paga',
  'step.secondRefund': 'Lança uma segunda devolução dessa venda, do mesmo valor, sem `amountRefunded`',
  'step.refundNoQuery': 'Lança uma devolução que chega sem a query string, que gateways podem descartar',
  'step.reversal': 'Lança um estorno PAID cujo PENDING se perdeu',
  'step.reversalBegins': 'Aceita um estorno PENDING',
  'step.reversalEnds': 'Lança o mesmo estorno PAID',
  'step.latePending': 'Deixa um estorno como está quando o PENDING dele chega tarde',
  'step.reversalCancelled': 'Aceita um estorno CANCELLED',
  'step.payout': 'Lança um repasse',
  'step.failedPayout': 'Não lança nada por um repasse que falhou',
  'step.payoutAfterFailed': 'Lança o mesmo repasse quando ele é pago depois',
  'step.leftOut': 'Aceita {kind} sem os campos que a documentação não garante',
  'step.nulls': 'Aceita {kind} com null no lugar deles e com campos desconhecidos',
  'step.split': 'Lê um corpo que chega em dois pedaços',
  'step.long': 'Lê um corpo de 150 KB',
  'step.letters': 'Lê letras como ã em um nome',
  'step.reference': 'Lê letras como ã em um código de referência',
  'step.cutLetter': 'Lê uma letra cujos bytes chegam em dois pedaços',
  'step.allAgain':
    'Não lança nada quando um pagamento, uma devolução, um estorno e um repasse de antes chegam de novo',
  'step.reordered': 'Não lança nada quando eles chegam com os campos em outra ordem',
  'step.fiveAtOnce': 'Lança uma vez um pagamento que chega cinco vezes no mesmo instante',
  'step.refundAtOnce': 'Lança uma vez uma devolução que chega três vezes no mesmo instante',
  'step.payoutAtOnce': 'Lança uma vez um repasse que chega três vezes no mesmo instante',
  'step.threeAtOnce': 'Lança cada um de três pagamentos que chegam no mesmo instante',
  'step.unasked': 'Deixa um pagamento para depois enquanto não é possível consultar o serviço',
  'step.wrongAmount': 'Não lança nada por um pagamento de 0.01 que o serviço não confirma',
  'step.rightAmount': 'Lança o pagamento certo dessa venda depois do errado',
  'step.unpaid': 'Não lança nada por uma venda que ninguém pagou',
  'step.paidSince': 'Lança essa venda quando ela é paga',
  'step.afterRefused': 'Lança outra venda depois de tudo isso',
  'step.unconfirmed': 'Consulta o serviço sobre um pagamento antes de lançá-lo',
  'step.secondPayment': 'Aceita um segundo pagamento de um pedido e deixa o primeiro como está',
  'step.statuses': 'Não lança nada por uma venda que está REVERSAL, PENDING ou SANDBOX',
  'step.lateSale': 'Deixa um pagamento como está quando o PENDING da venda chega tarde',
  'step.unknownKinds': 'Aceita corpos de nenhum tipo da documentação e não lança nada por eles',
  'step.afterUnknown': 'Lança um pagamento depois deles',
  'step.headerName': 'Encontra as credenciais em `authorization`, em minúsculas',
  'step.pairs': 'Recusa credenciais erradas e a falta delas e não lança nada',
  'step.kindsWithoutPair': 'Recusa todos os outros tipos sem credenciais',
  'step.methods': 'Não lança nada que chega por PUT ou GET sem credenciais',
  'step.restart': 'Reconhece um pagamento de antes depois de um reinício',
  'step.newAfterRestart': 'Lança um pagamento novo depois de um reinício',
  'step.status': 'Aceita com 200 e com nenhum outro status',
  'step.prompt': 'Responde dentro de --limit',
  'step.workFirst': 'Já lançou aquilo a que responde 200',
  'step.secrets': 'Não põe credenciais nas respostas',
  'sent.payment': 'um pagamento',
  'sent.again': 'mais uma vez',
  'sent.amount': 'um pagamento de R$ {amount}',
  'sent.refund': 'uma devolução parcial',
  'sent.secondRefund': 'uma segunda devolução parcial',
  'sent.refundNoQuery': 'uma devolução sem a query string',
  'sent.reversal': 'um estorno PAID',
  'sent.pending': 'um estorno PENDING',
  'sent.latePending': 'o PENDING de um estorno que está PAID',
  'sent.cancelled': 'um estorno CANCELLED',
  'sent.payout': 'um repasse',
  'sent.failedPayout': 'um repasse que falhou',
  'sent.payoutAfterFailed': 'o mesmo repasse, PAID',
  'sent.leftOut': '{kind} sem campos opcionais',
  'sent.null': '{kind} com null e com campos desconhecidos',
  'sent.split': 'um pagamento em dois pedaços',
  'sent.long': 'um pagamento de {bytes} bytes',
  'sent.letters': 'um pagamento de João',
  'sent.reference': 'um pagamento com ã no código de referência',
  'sent.cutLetter': 'um pagamento com ã no código de referência, cortado dentro dessa letra',
  'sent.reordered': 'mais uma vez, com os campos em outra ordem',
  'sent.unasked': 'um pagamento enquanto a consulta da transação responde 503',
  'sent.askedAgain': 'o pagamento de novo, agora que a consulta responde',
  'sent.wrongAmount': 'um pagamento de 0.01, que não é o preço da venda',
  'sent.unpaid': 'um pagamento de uma venda que ninguém pagou',
  'sent.secondPayment': 'um pagamento, por outra venda, de um pedido que já foi pago',
  'sent.status': 'uma venda com o newStatus {status}',
  'sent.lateSale': 'o PENDING de uma venda que foi paga',
  'sent.unknownFlag': 'um corpo de tipo desconhecido com um parâmetro desconhecido',
  'sent.unknownToken': 'um corpo de tipo desconhecido com um `saleToken`',
  'sent.unknownPaid': 'um corpo de tipo desconhecido com o status PAID',
  'sent.lowerCase': 'um pagamento com o par em `authorization`',
  'sent.noPair': '{kind} sem credenciais',
  'sent.method': 'um pagamento por {method}, sem credenciais',
  'sent.afterRestart': 'o primeiro pagamento, depois do reinício',
  'kind.payment': 'pagamento',
  'kind.refund': 'devolução',
  'kind.reversal': 'estorno',
  'kind.payout': 'repasse',
  'kind.unknown': 'corpo de tipo desconhecido',
  'pair.none': 'nenhuma credencial',
  'pair.empty': 'um par vazio',
  'pair.wrongKey': 'chave errada, token certo',
  'pair.wrongToken': 'chave certa, token errado',
  'pair.shortToken': 'token sem o último caractere',
  'pair.longToken': 'token com um caractere a mais',
  'pair.thirdPart': 'par certo e uma terceira parte depois de dois-pontos',
  'pair.tokenCase': 'token com maiúsculas e minúsculas trocadas',
  'pair.keyCase': 'chave com maiúsculas e minúsculas trocadas',
  'pair.lowerBase64': 'Base64 em minúsculas',
  'pair.bearer': 'par certo com o esquema Bearer',
  'pair.noScheme': 'par certo sem esquema',
  'answer.refused': 'recusado: {what}: {answer}',
  'answer.redirected': 'redirecionado, o que o serviço não segue: {what}: {answer}',
  'answer.silent': 'sem resposta: {what}: {answer}',
  'answer.broken': 'sem resposta, e a conexão terminou: {what}: {answer}',
  'answer.gone': 'ninguém mais escuta: {what}: {answer}',
  'answer.letIn': 'aceito, e não deveria: {what}: {answer}',
  'answer.notRefused': 'respondido com um status diferente de 401 ou 4xx: {what}: {answer}',
  'row.missing': 'falta: {kind} {amount} de {subject}',
  'row.doubled': '{times} linhas no lugar de uma: {kind} {amount} de {subject}',
  'row.amount': 'valor errado, {got} no lugar de {amount}: {kind} de {subject}',
  'row.kind': 'lançado como outro tipo: {kind} {amount} de {subject}',
  'row.again': 'lançado de novo: {kind} {amount} de {subject}',
  'row.unexpected': 'lançado, e não deveria: {kind} {amount} {subject}',
  'row.takenBack': 'desfeito: {kind} {amount} de {subject}',
  'fields.leftOut': 'ausente',
  'fields.null': 'null',
  'confirms.needsSales': 'estes passos precisam de vendas que existem: passe --sandbox',
  'confirms.doesNotAsk':
    'o seu listener lança pagamentos sem consultar o serviço, e por isso quem tem as credenciais escolhe o valor',
  'confirms.actedUnasked': 'um pagamento foi lançado enquanto a consulta da transação respondia 503',
  'answers.status': '{what}: {answer}',
  'answers.late':
    '{late} de {all} {all:resposta|respostas} {late:levou|levaram} mais de {limitMs} ms; a mais lenta: {what} depois de {durationMs} ms',
  'answers.early': '{late} vezes as linhas apareceram só depois do 200',
  'answers.token': 'o token está na resposta a {what}',
  'answers.key': 'a chave está na resposta a {what}',
  'answers.base64': 'o Base64 dos dois está na resposta a {what}',
  'notSeen.processes':
    'vários processos que vão e vêm, e dois que recebem a mesma notificação no mesmo instante.',
  'notSeen.keys':
    'chaves que expiram depois de minutos ou dias: o serviço reenvia uma notificação por minutos, e nada diz que nenhuma chega mais tarde.',
  'notSeen.database': 'um banco de dados que falha entre o lançamento e o commit.',
  'notSeen.restart': 'o que o listener ainda sabe depois de um reinício: passe --restart.',
  'notSeen.orders': 'pedidos: qual pagamento um pedido espera, e um segundo pagamento dele: passe --shop.',
  'notSeen.secondPayment': 'se o segundo pagamento de um pedido, que não tem linha, chega a uma pessoa.',
  'cause.pair': 'ele recusa as credenciais certas.',
  'fix.pair':
    'Configure no listener o par que está aqui em PAYMENTS_API_KEY e PAYMENTS_API_TOKEN, e compare o cabeçalho `Authorization` com `Basic ` e o Base64 de chave, dois-pontos e token (documentação, seção 5). Alguns servidores web não repassam esse cabeçalho ao programa (Apache com PHP: `CGIPassAuth On`).',
  'cause.headerCase': 'ele diferencia maiúsculas de minúsculas no nome do cabeçalho.',
  'fix.headerCase':
    'Nomes de cabeçalhos não fazem essa diferença, e atrás de muitos proxies `Authorization` chega como `authorization`: procure-o com uma função que a ignore (`request.headers.get`), não em um dicionário próprio.',
  'cause.mediaType': 'ele recusa o tipo de mídia.',
  'fix.mediaType':
    'Aceite `application/json` e nada mais: o serviço não envia charset nem outro tipo (documentação, seção 6.1).',
  'cause.rateLimit': 'o limite de requisições dele se esgotou.',
  'fix.rateLimit':
    'Aumente-o para o serviço, ou deixe as notificações fora dele: uma recusada volta cinco vezes e depois se perde.',
  'cause.redirects': 'ele redireciona, e o serviço não segue redirecionamentos.',
  'fix.redirects':
    'Registre a URL de destino do redirecionamento, com esquema, host e barra final; mantenha a query string; e não ponha uma página de login na frente.',
  'cause.needsQuery': 'a rota dele exige uma query string.',
  'fix.needsQuery':
    'Pagamentos vêm sem nenhuma além da que está na URL registrada (documentação, seção 6.2): encontre a rota só pelo caminho.',
  'cause.readsForm': 'ele lê formulários, e o serviço envia JSON.',
  'fix.readsForm':
    'Leia o corpo bruto (raw body) e interprete-o como JSON (PHP: `json_decode(file_get_contents("php://input"))` no lugar de `$_POST`; Express: `app.use(express.json())`).',
  'cause.parsesTwice': 'ele interpreta o corpo duas vezes.',
  'fix.parsesTwice':
    'Use o corpo já interpretado como está (`request.body` depois de um body parser), ou interprete o corpo bruto (raw body) uma vez, mas não os dois.',
  'cause.invalid': 'ele considera este pagamento inválido e é mais rígido que a documentação.',
  'fix.invalid':
    'A resposta ou o log dele diz qual é o campo. Um valor tem casas decimais, e um campo que não é marcado como obrigatório pode faltar (documentação, seção 6.2).',
  'cause.madeUpSale':
    'ele recusa este pagamento, e não qualquer corpo: talvez consulte o serviço, ou procure o pedido, e a venda é fictícia.',
  'fix.madeUpSale':
    'Se ele consulta o serviço, o que é certo, inicie o sandbox, aponte para ele o client e passe --sandbox; se procura os próprios pedidos, passe também --shop. Senão, o log dele diz mais.',
  'cause.unknownOrder':
    'ele recusa este pagamento, e não qualquer corpo, embora a venda exista no sandbox: talvez consulte outro serviço, ou não conheça esse pedido.',
  'fix.unknownOrder':
    'Aponte o client dele para esse sandbox (PAYMENTS_BASE_URL). Se ele procura os próprios pedidos, passe --shop, para que a sua loja os crie. Senão, o log dele diz mais.',
  'cause.refusesPayment':
    'ele recusa este pagamento, e não qualquer corpo, embora a loja dele tenha criado o pedido.',
  'fix.refusesPayment': 'Leia o log dele.',
  'cause.everything':
    'ele responde com este erro a qualquer corpo: o processo atrás do proxy caiu ou não está pronto, ou falta algo de que ele precisa.',
  'fix.everything': 'Veja o health check e o log dele, e comece de novo quando ele responder.',
  'cause.body': 'ele não lê o corpo JSON: falha em todos.',
  'fix.body':
    'Ponha um body parser antes dele (Express: `app.use(express.json())`), ou leia o corpo bruto (raw body). `createWebhookHandler` funciona com os dois. O erro está no log dele.',
  'cause.path': 'ele não tem essa rota.',
  'fix.path': 'Confira o caminho e se ele aceita POST.',
  'cause.refusesEverything': 'ele recusa qualquer corpo.',
  'fix.refusesEverything':
    'Leia o log dele: talvez seja mais rígido que a documentação, ou espere outro corpo.',
  'cause.severalProcesses':
    'vários processos respondem, cada um com memória própria: cada um lança o pagamento uma vez.',
  'fix.severalProcesses':
    'Guarde as chaves, e o que é lançado, em um store que todos os processos compartilham: um banco de dados ou Redis, não a memória de um processo. `createWebhookHandler` com um store compartilhado faz isso.',
  'cause.booksTwice': 'ele lança duas vezes uma única notificação.',
  'fix.booksTwice': 'Procure um handler registrado duas vezes, ou uma linha que lança duas vezes.',
  'cause.inCents': 'os valores das linhas dele estão em centavos.',
  'fix.inCents':
    'Deixe `--effects` responder valores em reais, como o serviço os envia: 59.7, não 5970. Se esse número é também o que a loja mostra ou devolve, ele é cem vezes maior.',
  'cause.noKey': 'ele não guarda uma chave que a segunda entrega também tenha.',
  'fix.noKey':
    'Grave a chave de idempotência do que você lançou, na mesma transação ou por uma reserva (claim) antes, e responda 200 ao que está gravado (documentação, seção 6.1). Monte a chave com os campos, nunca com a hora ou o corpo inteiro. `createWebhookHandler` com um store faz isso.',
  'cause.lateKey': 'ele só grava a chave algum tempo depois da resposta.',
  'fix.lateKey':
    'Grave a chave junto com o lançamento, e antes da resposta: uma retentativa que chega nesse meio-tempo é lançada de novo.',
  'cause.recordsBeforeWork':
    'ele grava a chave antes do trabalho, que depois falha: a retentativa é uma duplicata, e o pagamento se perde.',
  'fix.recordsBeforeWork':
    'Grave a chave de idempotência junto com o trabalho, em uma única transação, ou devolva a reserva (claim) quando o trabalho falha (documentação, seção 6.1). `createWebhookHandler` faz isso.',
  'cause.wholeAmounts': 'ele lança valores inteiros, sem centavos.',
  'fix.wholeAmounts':
    'Guarde os valores com as casas decimais, ou como número inteiro de centavos: uma coluna de números inteiros as corta.',
  'cause.truncates': 'ele corta um centavo ao converter um valor em centavos.',
  'fix.truncates':
    'Arredonde: `Math.round(amount * 100)`, em Python `round(amount * 100)`. 19.99 * 100 é 1998.9999999999998, e `int` ou `Math.trunc` faz disso 1998.',
  'cause.refusesCents': 'ele só aceita valores inteiros, ou valores cujo cêntuplo é inteiro.',
  'fix.refusesCents':
    'Arredonde antes de comparar ou converter: `Math.round(amount * 100)`. 19.99 * 100 é 1998.9999999999998: `BigInt` lança um erro, isso não é igual a nenhum número de centavos, e um schema de inteiros o recusa.',
  'cause.keyWithoutIdentity': 'ele toma por uma só duas vendas com o mesmo valor, dia e comprador.',
  'fix.keyWithoutIdentity':
    'Monte a chave com o `saleToken`: valor, data e comprador não são identidade (documentação, seção 6.1).',
  'cause.refundLikePayment':
    'ele toma uma devolução por duplicata do pagamento, porque os dois têm o mesmo `saleToken`.',
  'fix.refundLikePayment':
    'Monte a chave com tipo e identidade: uma devolução tem o seu próprio `refund.uuid` (documentação, seção 6.4). `notification.key` faz isso.',
  'cause.refundKey': 'ele toma a segunda devolução de uma venda por duplicata da primeira.',
  'fix.refundKey':
    'Monte a chave com `refund.uuid`: as devoluções de uma venda têm o mesmo `saleToken`, e duas delas podem ter o mesmo valor (documentação, seção 6.4).',
  'cause.wholeSale': 'ele lança como devolvido o valor da venda inteira.',
  'fix.wholeSale': 'Lance `refund.amount`: `originalAmount` é o preço da venda (documentação, seção 6.4).',
  'cause.queryAlone': 'ele só reconhece uma devolução pela query string.',
  'fix.queryAlone':
    'Olhe a query string e o corpo, como faz `parseNotification`: um corpo com `refund` é uma devolução (documentação, seção 6.4).',
  'cause.queryAloneBooked': 'ele só reconhece uma devolução pela query string e toma uma sem ela por {kind}.',
  'fix.queryAloneBooked':
    'Olhe a query string e o corpo, como faz `parseNotification`: um corpo com `refund` é uma devolução, e nunca um pagamento (documentação, seção 6.4).',
  'cause.otherKind': 'ele lança {what} como outro tipo: {kind}.',
  'fix.otherKind':
    'Distinga os tipos pela query string e pelo corpo: um `saleToken` sozinho não faz um pagamento (documentação, seções 6.2 a 6.5). No `returned` de `createOrders`, `context.notification.kind` é `refund` ou `reversal`.',
  'cause.asPayment': 'ele lança como pagamento: {what}.',
  'fix.asPayment':
    'Um pagamento não tem parâmetro de outro tipo, e `newStatus` é `PAID`: um `saleToken`, um `uuid` ou um valor sozinho não faz nenhum (documentação, seção 6.2).',
  'cause.takesBack': 'uma linha de antes desaparece: {what}.',
  'fix.takesBack':
    'Mantenha a linha do pagamento e lance o que volta em uma linha própria: uma devolução parcial deixa o resto do pagamento.',
  'cause.reversalKey':
    'ele toma o fim de um estorno por duplicata do começo, porque os dois têm o mesmo `uuid`.',
  'fix.reversalKey':
    'Monte a chave com `uuid` e `status` juntos: um estorno mantém o `uuid` de PENDING a PAID (documentação, seção 6.3). `notification.key` faz isso.',
  'cause.reopens': 'um PENDING atrasado desfaz o que já terminou.',
  'fix.reopens':
    'Responda 200 a um estado já superado e não volte a ele: uma retentativa chega um minuto ou mais depois (documentação, seção 6.1).',
  'cause.refusesOvertaken': 'ele recusa um estado já superado.',
  'fix.refusesOvertaken':
    'Responda 200 a um estado já superado e não faça nada: o que é recusado vem mais cinco vezes (documentação, seção 6.1).',
  'cause.failedAsPayout': 'ele lança um repasse que falhou.',
  'fix.failedAsPayout': 'Olhe `success`: um repasse com `false` não pagou nada (documentação, seção 6.5).',
  'cause.needsType': 'ele reconhece um repasse por `type=payout`, e um que falhou só tem `payout=true`.',
  'fix.needsType': 'Qualquer um dos dois faz um repasse (documentação, seção 6.5).',
  'cause.payoutKey': 'ele toma um repasse pago depois por duplicata da falha dele.',
  'fix.payoutKey':
    'Monte a chave com `uuid` e `status` juntos: um repasse mantém o `uuid` (documentação, seção 6.5). `notification.key` faz isso.',
  'cause.needsField': 'se perde {kind} com `{path}` {how}: ele precisa desse campo.',
  'fix.needsField':
    'Leia os campos com cuidado, como `payload.shopper?.email ?? undefined`: a documentação não garante todos os campos (seções 6.2 a 6.5). Os tipos de `parseNotification` mostram quais.',
  'cause.strict': 'ele recusa campos que não conhece.',
  'fix.strict':
    'Leia os campos de que precisa e ignore os outros: o serviço pode acrescentar campos a qualquer momento. Nada de `strict()` nem de `additionalProperties: false`.',
  'cause.pieces': 'ele só lê o primeiro pedaço do corpo.',
  'fix.pieces': 'Leia o corpo inteiro, até o fim da requisição, antes de interpretá-lo.',
  'cause.limit': 'ele recusa um corpo longo, ou o corta.',
  'fix.limit':
    'Aceite corpos de 1 MB: a documentação não mostra um limite (seção 8). Alguns parsers aceitam 100 KiB (Express: `express.json({ limit: "1mb" })`).',
  'cause.encoding': 'ele não lê o corpo como UTF-8, ou conta os bytes como letras.',
  'fix.encoding':
    'Leia o corpo como UTF-8 e trate `content-length` como bytes: nomes, motivos e códigos de referência têm letras como ã e ç.',
  'cause.decodesPieces': 'ele decodifica cada pedaço do corpo por si.',
  'fix.decodesPieces':
    'Junte o corpo inteiro antes de decodificá-lo (`Buffer.concat`, `setEncoding("utf8")` ou um body parser): `body += chunk` quebra uma letra como ã que chega em dois pedaços.',
  'cause.forgets':
    'ele conhecia este pagamento há pouco e o esqueceu: só lembra por pouco tempo, ou só dos últimos.',
  'fix.forgets':
    'Guarde a chave de idempotência por dias pelo menos, onde um reinício não a perca: uma retentativa chega minutos depois (documentação, seção 6.1).',
  'cause.noKeyOfKind': 'ele não guarda chave para este tipo: {kinds}.',
  'fix.noKeyOfKind':
    'Grave a chave de idempotência de todo tipo que você lança, não só dos pagamentos (documentação, seção 6.1). `createWebhookHandler` com um store faz isso.',
  'cause.refusesDuplicates': 'ele recusa o que já viu antes.',
  'fix.refusesDuplicates':
    'Responda 200 a uma duplicata: o que é recusado vem mais cinco vezes (documentação, seção 6.1).',
  'cause.hashesBody': 'a chave dele é feita com o corpo inteiro.',
  'fix.hashesBody':
    'Monte a chave com os campos que identificam: a mesma notificação pode vir com os campos em outra ordem.',
  'cause.noClaim':
    'ele procura a chave e só a grava depois, e por isso duas entregas no mesmo instante são ambas novas.',
  'fix.noClaim':
    'Reserve a chave antes do trabalho, por um índice único ou um comando que só uma delas vence. `createWebhookHandler` com um store faz isso.',
  'cause.losesAtOnce':
    'ele responde 200 a cada um de vários pagamentos simultâneos e perde alguns: não faz nada enquanto está ocupado com outro, ou dois deles se sobrescrevem.',
  'fix.losesAtOnce':
    'Responda 503 enquanto estiver ocupado, e o serviço o reenvia (documentação, seção 6.1). Acrescente a linha com um único comando, ou bloqueie o que você lê e depois regrava (em PHP: `flock`).',
  'cause.actsUnasked': 'ele consulta o serviço, fica sem resposta e lança mesmo assim.',
  'fix.actsUnasked':
    'Deixe `confirmPayment` ou `getTransaction` lançar o erro e responda 500 ou 503: o serviço reenvia a notificação (documentação, seção 6.1).',
  'cause.swallows': 'ele responde 200 quando não consegue consultar o serviço, e então o pagamento se perde.',
  'fix.swallows':
    'Responda 500 ou 503 quando não for possível consultar o serviço: ele reenvia a notificação (documentação, seção 6.1). Não capture o erro para responder 200.',
  'cause.comparesNoAmount': 'ele consulta o serviço e não compara o valor: a mercadoria sai por um centavo.',
  'fix.comparesNoAmount':
    'Confirme com `confirmPayment`: ele compara situação, valor, moeda e código de referência.',
  'cause.comparesNoState': 'ele consulta o serviço e não olha se a venda foi paga.',
  'cause.keepsUnconfirmed':
    'ele responde 200 a um pagamento que o serviço não confirma e depois toma o certo por duplicata.',
  'fix.keepsUnconfirmed':
    'Recuse o que o serviço não confirma, ou guarde-o à parte, e não grave chave para ele: um pagamento confirmado depois precisa ser lançado.',
  'cause.caches': 'ele guarda uma resposta antiga do serviço: não consultou de novo.',
  'fix.caches':
    'Consulte a cada notificação e não guarde respostas em cache: uma venda que estava pendente há um instante agora está paga. No Next.js, passe `cache: "no-store"`, como faz o `PaymentsClient`.',
  'cause.keepsLock':
    'depois de um pagamento recusado, ele não trata nenhum outro: um lock ou uma conexão não foi devolvida.',
  'fix.keepsLock': 'Devolva em `finally` o que você toma: locks, conexões, uma transação aberta.',
  'cause.secondTakesBack': 'o segundo pagamento de um pedido desfaz o primeiro.',
  'fix.secondTakesBack':
    'Identifique pagamentos pelo `saleToken`, não pelo pedido: os dois chegaram, e um precisa ser devolvido.',
  'cause.secondRefused':
    'ele recusa o segundo pagamento de um pedido, e assim chega dinheiro de que ninguém sabe.',
  'fix.secondRefused': 'Responda 200, guarde-o e deixe uma pessoa olhá-lo.',
  'cause.statusAsPayment': 'ele lança uma venda como paga seja qual for o `newStatus`: {list}.',
  'fix.statusAsPayment': 'Só `newStatus` `PAID` quer dizer que a venda foi paga (documentação, seção 6.2).',
  'cause.endsProcess': '{what} encerrou o processo.',
  'fix.endsProcess':
    'Olhe a forma de um corpo antes de ler os campos dele, e não deixe nenhum erro encerrar o processo: os próximos pagamentos também se perdem.',
  'cause.refusesQuery': 'ele recusa toda URL com query string, ou esta.',
  'fix.refusesQuery':
    'Encontre a rota só pelo caminho: o serviço distingue estornos, devoluções e repasses pela query string (documentação, seções 6.3 a 6.5).',
  'cause.booksUnknown': 'ele lança um corpo que não é de nenhum tipo da documentação.',
  'fix.booksUnknown':
    'Um `saleToken`, um `uuid` ou o status PAID sozinho não faz um pagamento, uma devolução ou um repasse (documentação, seções 6.2 a 6.5). Guarde o corpo e examine-o.',
  'cause.refusesUnknown': 'ele recusa corpos de tipo desconhecido.',
  'fix.refusesUnknown':
    'Responda 200, guarde o corpo e examine-o: o serviço pode enviar notificações da jornada recorrente, que a documentação não mostra (documentação, seção 6.1).',
  'cause.checksNothing': 'ele não confere credenciais.',
  'fix.checksNothing':
    'Compare o cabeçalho `Authorization` inteiro com `Basic ` e o Base64 de chave, dois-pontos e token, em tempo constante, e responda 401 antes de ler qualquer coisa (documentação, seção 5). `createWebhookHandler` faz isso; em um listener próprio, chame `verifyAuthorization`.',
  'cause.checksHeaderAlone': 'ele olha se há um par, e não qual.',
  'cause.checksKeyAlone': 'ele só confere a chave.',
  'fix.checksKeyAlone':
    'Compare o cabeçalho `Authorization` inteiro, como está, com `Basic `, chave e token (documentação, seção 5). `verifyAuthorization` faz isso.',
  'cause.checksTokenAlone': 'ele só confere o token.',
  'cause.searchesPair': 'ele procura chave e token em qualquer lugar do cabeçalho.',
  'cause.ignoresCase': 'ele compara as credenciais sem diferenciar maiúsculas.',
  'fix.ignoresCase':
    'Chave, token e Base64 diferenciam maiúsculas: compare o cabeçalho inteiro como ele é (documentação, seção 5).',
  'cause.shortToken': 'ele aceita um token que é só o começo do certo.',
  'cause.longToken': 'ele aceita tudo o que começa com o token certo.',
  'cause.splits': 'ele separa o par em cada dois-pontos e usa as duas primeiras partes.',
  'cause.anyScheme': 'ele não olha o esquema.',
  'cause.ownPairEmpty': 'ele aceita um par vazio: talvez o dele não esteja definido.',
  'fix.ownPairEmpty': 'Recuse-se a iniciar sem credenciais: `undefined` é igual ao que não é enviado.',
  'cause.letsNoneIn': 'ele só confere credenciais quando há alguma.',
  'fix.letsNoneIn': 'Uma requisição sem `Authorization` precisa receber 401 (documentação, seção 5).',
  'cause.goesOn': 'ele responde 401 e lança mesmo assim.',
  'fix.goesOn': 'Retorne depois do 401, antes de fazer qualquer outra coisa.',
  'cause.acceptsForged': 'ele responde com sucesso a credenciais erradas, embora não lance nada.',
  'fix.acceptsForged':
    'Responda 401: com 200, ninguém percebe que as credenciais do serviço estão erradas, e os pagamentos dele se perdem. Em PHP, qualquer saída antes do status o transforma em 200.',
  'cause.redirectsForged': 'ele redireciona quem não tem credenciais.',
  'fix.redirectsForged': 'Responda 401: um listener não tem página de login.',
  'cause.hangsOnForged': 'ele deixa credenciais erradas sem resposta.',
  'fix.hangsOnForged': 'Responda 401 se elas diferem: conexões que ficam abertas esgotam o listener.',
  'cause.crashesOnForged': 'ele falha ao ler credenciais erradas.',
  'fix.crashesOnForged':
    'Um cabeçalho `Authorization` ausente ou malformado é comum na internet: responda 401.',
  'cause.paymentsAlone': 'ele só confere as credenciais de pagamentos.',
  'fix.paymentsAlone': 'Confira-as antes de olhar o tipo: uma devolução forjada encerra um pedido.',
  'cause.otherMethods': 'ele não confere credenciais destes métodos: {list}.',
  'fix.otherMethods': 'Aceite só POST e confira as credenciais antes de olhar o método.',
  'cause.forgetsAtRestart': 'ele esquece em um reinício o que lançou.',
  'fix.forgetsAtRestart':
    'Guarde as chaves onde estão os lançamentos, no banco de dados, não na memória do processo.',
  'cause.only200': 'ele aceita com um status diferente de 200.',
  'fix.only200':
    'O serviço não reconhece outro sucesso: depois de 202 ou 204, ele reenvia a notificação, cinco vezes (documentação, seção 6.1).',
  'cause.slow': 'ele responde tarde demais.',
  'fix.slow':
    'Grave a notificação em uma fila ou tabela, responda 200 e faça o trabalho depois. A documentação não diz quanto o serviço espera; escolha um tempo com --limit.',
  'cause.worksLater':
    'ele responde 200 e trabalha depois: se o processo termina no meio, o pagamento se perde.',
  'fix.worksLater':
    'Responda depois do trabalho, ou depois de gravá-lo de forma durável, o que `--effects` mostra como uma linha do tipo `inbox`. Espere o que você inicia.',
  'cause.leaks': 'a resposta dele mostra as credenciais.',
  'fix.leaks':
    'Responda com um texto fixo: nunca envie cabeçalhos, o valor esperado ou um erro que contenha a requisição. Troque as credenciais se o listener esteve público.',
};
