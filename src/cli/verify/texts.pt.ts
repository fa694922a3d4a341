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
  'run.everythingTwice':
    'uma única notificação é lançada duas vezes, e por isso todos os outros passos falhariam também.',
  'run.everythingAgain':
    'um pagamento que chega de novo é lançado de novo, e por isso todos os outros passos falhariam também.',
  'run.inCents': 'os valores de `--effects` estão em centavos.',
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
  'fix.pair':
    'Configure no listener o par que está aqui em PAYMENTS_API_KEY e PAYMENTS_API_TOKEN, e compare o cabeçalho `Authorization` com `Basic ` e o Base64 de chave, dois-pontos e token (documentação, seção 5). Alguns servidores web não repassam esse cabeçalho ao programa (Apache com PHP: `CGIPassAuth On`).',
  'fix.headerCase':
    'Nomes de cabeçalhos não fazem essa diferença, e atrás de muitos proxies `Authorization` chega como `authorization`: procure-o com uma função que a ignore (`request.headers.get`), não em um dicionário próprio.',
  'fix.mediaType':
    'Aceite `application/json` e nada mais: o serviço não envia charset nem outro tipo (documentação, seção 6.1).',
  'fix.rateLimit':
    'Aumente-o para o serviço, ou deixe as notificações fora dele: uma recusada volta cinco vezes e depois se perde.',
  'fix.madeUpSale':
    'Se ele consulta o serviço, o que é certo, inicie o sandbox, aponte para ele o client e passe --sandbox; se procura os próprios pedidos, passe também --shop. Senão, o log dele diz mais.',
  'fix.body':
    'Ponha um body parser antes dele (Express: `app.use(express.json())`), ou leia o corpo bruto (raw body). `createWebhookHandler` funciona com os dois. O erro está no log dele.',
  'fix.path': 'Confira o caminho e se ele aceita POST.',
  'fix.noKey':
    'Grave a chave de idempotência do que você lançou, na mesma transação ou por uma reserva (claim) antes, e responda 200 ao que está gravado (documentação, seção 6.1). Monte a chave com os campos, nunca com a hora ou o corpo inteiro. `createWebhookHandler` com um store faz isso.',
  'fix.truncates':
    'Arredonde: `Math.round(amount * 100)`, em Python `round(amount * 100)`. 19.99 * 100 é 1998.9999999999998, e `int` ou `Math.trunc` faz disso 1998.',
  'fix.keyWithoutIdentity':
    'Monte a chave com o `saleToken`: valor, data e comprador não são identidade (documentação, seção 6.1).',
  'fix.refundLikePayment':
    'Monte a chave com tipo e identidade: uma devolução tem o seu próprio `refund.uuid` (documentação, seção 6.4). `notification.key` faz isso.',
  'fix.refundKey':
    'Monte a chave com `refund.uuid`: as devoluções de uma venda têm o mesmo `saleToken`, e duas delas podem ter o mesmo valor (documentação, seção 6.4).',
  'fix.queryAloneBooked':
    'Olhe a query string e o corpo, como faz `parseNotification`: um corpo com `refund` é uma devolução, e nunca um pagamento (documentação, seção 6.4).',
  'fix.otherKind':
    'Distinga os tipos pela query string e pelo corpo: um `saleToken` sozinho não faz um pagamento (documentação, seções 6.2 a 6.5). No `returned` de `createOrders`, `context.notification.kind` é `refund` ou `reversal`.',
  'fix.reversalKey':
    'Monte a chave com `uuid` e `status` juntos: um estorno mantém o `uuid` de PENDING a PAID (documentação, seção 6.3). `notification.key` faz isso.',
  'fix.reopens':
    'Responda 200 a um estado já superado e não volte a ele: uma retentativa chega um minuto ou mais depois (documentação, seção 6.1).',
  'fix.failedAsPayout': 'Olhe `success`: um repasse com `false` não pagou nada (documentação, seção 6.5).',
  'fix.payoutKey':
    'Monte a chave com `uuid` e `status` juntos: um repasse mantém o `uuid` (documentação, seção 6.5). `notification.key` faz isso.',
  'fix.needsField':
    'Leia os campos com cuidado, como `payload.shopper?.email ?? undefined`: a documentação não garante todos os campos (seções 6.2 a 6.5). Os tipos de `parseNotification` mostram quais.',
  'fix.strict':
    'Leia os campos de que precisa e ignore os outros: o serviço pode acrescentar campos a qualquer momento. Nada de `strict()` nem de `additionalProperties: false`.',
  'fix.pieces': 'Leia o corpo inteiro, até o fim da requisição, antes de interpretá-lo.',
  'fix.limit':
    'Aceite corpos de 1 MB: a documentação não mostra um limite (seção 8). Alguns parsers aceitam 100 KiB (Express: `express.json({ limit: "1mb" })`).',
  'fix.encoding':
    'Leia o corpo como UTF-8 e trate `content-length` como bytes: nomes, motivos e códigos de referência têm letras como ã e ç.',
  'fix.decodesPieces':
    'Junte o corpo inteiro antes de decodificá-lo (`Buffer.concat`, `setEncoding("utf8")` ou um body parser): `body += chunk` quebra uma letra como ã que chega em dois pedaços.',
  'fix.noKeyOfKind':
    'Grave a chave de idempotência de todo tipo que você lança, não só dos pagamentos (documentação, seção 6.1). `createWebhookHandler` com um store faz isso.',
  'fix.hashesBody':
    'Monte a chave com os campos que identificam: a mesma notificação pode vir com os campos em outra ordem.',
  'fix.noClaim':
    'Reserve a chave antes do trabalho, por um índice único ou um comando que só uma delas vence. `createWebhookHandler` com um store faz isso.',
  'fix.losesAtOnce':
    'Responda 503 enquanto estiver ocupado, e o serviço o reenvia (documentação, seção 6.1). Acrescente a linha com um único comando, ou bloqueie o que você lê e depois regrava (em PHP: `flock`).',
  'fix.swallows':
    'Responda 500 ou 503 quando não for possível consultar o serviço: ele reenvia a notificação (documentação, seção 6.1). Não capture o erro para responder 200.',
  'fix.comparesNoAmount':
    'Confirme com `confirmPayment`: ele compara situação, valor, moeda e código de referência.',
  'fix.keepsUnconfirmed':
    'Recuse o que o serviço não confirma, ou guarde-o à parte, e não grave chave para ele: um pagamento confirmado depois precisa ser lançado.',
  'fix.keepsLock': 'Devolva em `finally` o que você toma: locks, conexões, uma transação aberta.',
  'fix.secondTakesBack':
    'Identifique pagamentos pelo `saleToken`, não pelo pedido: os dois chegaram, e um precisa ser devolvido.',
  'fix.statusAsPayment': 'Só `newStatus` `PAID` quer dizer que a venda foi paga (documentação, seção 6.2).',
  'fix.endsProcess':
    'Olhe a forma de um corpo antes de ler os campos dele, e não deixe nenhum erro encerrar o processo: os próximos pagamentos também se perdem.',
  'fix.refusesUnknown':
    'Responda 200, guarde o corpo e examine-o: o serviço pode enviar notificações da jornada recorrente, que a documentação não mostra (documentação, seção 6.1).',
  'fix.checksNothing':
    'Compare o cabeçalho `Authorization` inteiro com `Basic ` e o Base64 de chave, dois-pontos e token, em tempo constante, e responda 401 antes de ler qualquer coisa (documentação, seção 5). `createWebhookHandler` faz isso; em um listener próprio, chame `verifyAuthorization`.',
  'fix.paymentsAlone': 'Confira-as antes de olhar o tipo: uma devolução forjada encerra um pedido.',
  'fix.otherMethods': 'Aceite só POST e confira as credenciais antes de olhar o método.',
  'fix.forgetsAtRestart':
    'Guarde as chaves onde estão os lançamentos, no banco de dados, não na memória do processo.',
  'fix.only200':
    'O serviço não reconhece outro sucesso: depois de 202 ou 204, ele reenvia a notificação, cinco vezes (documentação, seção 6.1).',
  'fix.slow':
    'Grave a notificação em uma fila ou tabela, responda 200 e faça o trabalho depois. A documentação não diz quanto o serviço espera; escolha um tempo com --limit.',
  'fix.worksLater':
    'Responda depois do trabalho, ou depois de gravá-lo de forma durável, o que `--effects` mostra como uma linha do tipo `inbox`. Espere o que você inicia.',
  'fix.leaks':
    'Responda com um texto fixo: nunca envie cabeçalhos, o valor esperado ou um erro que contenha a requisição. Troque as credenciais se o listener esteve público.',
};
