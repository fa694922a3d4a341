import type { en } from './inventions.en';

/** The same in Portuguese: the compiler names a key that is missing. */
export const pt: Record<keyof typeof en, string> = {
  wrongCredentials:
    'Uma chamada com credenciais ausentes ou erradas recebe esta resposta, porque a documentação não mostra respostas de erro.',
  unknownPath:
    'Uma chamada a um caminho que não é de nenhuma operação recebe esta resposta, porque a documentação não mostra respostas de erro.',
  wrongMethod:
    'Uma chamada com o método HTTP errado recebe esta resposta, porque a documentação não mostra respostas de erro.',
  wrongMediaType:
    'Uma chamada cujo corpo não é enviado como JSON recebe esta resposta, porque a documentação não mostra respostas de erro.',
  bodyTooLarge:
    'Uma chamada com um corpo grande demais recebe esta resposta, porque a documentação não mostra respostas de erro.',
  invalidBody:
    'Uma chamada cujo corpo não tem um campo ou não é JSON recebe esta resposta, porque a documentação não mostra respostas de erro.',
  unknownTransaction:
    'Uma consulta a uma transação que não existe recebe esta resposta, porque a documentação não mostra respostas de erro.',
  unknownScheduledPayment:
    'Um cancelamento de um pagamento agendado que não existe recebe esta resposta, porque a documentação não mostra respostas de erro.',
  cancellationRefused:
    'Um cancelamento de um pagamento que não está mais agendado recebe esta resposta, porque a documentação não mostra respostas de erro.',
  repeatedCancellation:
    'Um segundo cancelamento do mesmo pagamento é recusado, porque a documentação não diz o que acontece.',
  repeatedReferenceCode:
    'Duas jornadas podem ter o mesmo identificador de pedido, porque a documentação não mostra uma recusa.',
  bodyStatusMinus1:
    'A falha com status -1 no corpo responde isto, porque a documentação não explica esse status.',
  bodyStatus999:
    'A falha com status 999 no corpo responde isto, porque a documentação não explica esse status.',
  maxBodyBytes:
    'Uma chamada pode ter este número de bytes, porque a documentação não informa um tamanho máximo.',
  utcOffsetMinutes:
    'Datas e horas são as de Brasília, em minutos a partir de UTC, porque a documentação não informa o fuso.',
  defaultMaxAgeMinutes:
    'A consulta mostra este `maxAge`, em minutos, de uma jornada criada sem ele, que nunca expira, porque a documentação não dá um padrão.',
  amountWithoutImmediatePayment:
    'Uma jornada que não cobra nada hoje mostra o valor dos pagamentos seguintes, porque a documentação não mostra outro.',
  saleCodePrefix:
    'Um código de venda é esta letra e um número, porque a documentação não mostra a forma dele.',
  shipping: 'Uma venda tem este custo de frete, porque a requisição de uma jornada não tem nenhum.',
  discounts: 'Uma venda tem este desconto, porque a requisição de uma jornada não tem nenhum.',
  shopperNames:
    'A primeira palavra do nome é o primeiro nome, porque a documentação não diz como um nome vira dois.',
  appliedRate: 'O serviço cobra esta taxa sobre uma venda, porque a documentação não mostra um valor.',
  serviceFee: 'O serviço cobra esta taxa sobre um repasse, porque a documentação não mostra um valor.',
  payerAccount:
    'O pagador e o repasse padrão têm esta conta, que não existe em nenhum banco, porque uma conta real não pode aparecer aqui.',
  instructions: 'O pagador lê estes textos, porque a documentação não mostra os reais.',
  qrCodeBase64: 'A imagem do QR code é Base64 puro, porque a documentação não diz se ela começa com `data:`.',
  qrCodeMerchant:
    'O QR code tem este recebedor, em um endereço que não existe, porque ninguém deve conseguir pagá-lo.',
  refundsOfTransaction:
    'Uma consulta informa o que resta devolver e dá cada motivo em `remark`, porque a documentação mostra só os campos.',
  cancelledJourney: 'Uma jornada cancelada não envia notificação, porque a documentação não mostra nenhuma.',
  scheduledPayments:
    'Este número de pagamentos é agendado por vez, pelo calendário, porque a documentação mostra só os ids.',
  authorization:
    'Uma autorização deixa a transação da jornada aguardando, porque a documentação não mostra nenhuma mudança.',
  recurrenceEvents:
    'Uma recorrência envia os eventos das páginas públicas do serviço, porque a documentação os cita e não mostra nenhum.',
  recurrencePlan:
    'Uma recorrência sem plano tem este, porque as páginas públicas do serviço mostram só os campos.',
  recurrenceIds:
    'Os ids de uma recorrência e de um Pix vêm do UUID, porque as páginas públicas do serviço mostram só a forma deles.',
  dueTime:
    'Um vencimento em um evento tem esta hora, porque as páginas públicas do serviço mostram só a forma da data.',
  rejectionReason:
    'Uma cobrança que falhou tem este texto do banco, porque as páginas públicas do serviço mostram só os códigos.',
  chargeReference:
    'A transação de uma cobrança tem a referência da jornada, porque as páginas públicas do serviço não dizem qual.',
  retriedSale:
    'Uma cobrança tentada de novo mantém a venda, porque as páginas públicas do serviço não dizem se ela muda.',
  retryDay:
    'Uma nova tentativa é do dia seguinte, porque as páginas públicas do serviço só dizem que é em até 7 dias.',
  failedCharge:
    'A transação de uma cobrança que falhou fica como estava, porque as páginas públicas do serviço não a mostram.',
  payerIspb:
    'O pagador tem este banco, que não existe, porque as páginas públicas do serviço mostram só o campo.',
  recurrenceCredentials:
    'Uma chamada sobre recorrências com credenciais erradas recebe este texto, porque as páginas públicas do serviço mostram só o status.',
  unknownRecurrence:
    'Uma chamada sobre uma recorrência que não existe recebe este texto, porque as páginas públicas do serviço mostram só os dois status.',
  recurrenceEnded:
    'Um segundo cancelamento de uma recorrência recebe este texto, porque as páginas públicas do serviço mostram só o status.',
  invalidRecurrenceCall:
    'Uma chamada errada sobre recorrências recebe este texto, porque as páginas públicas do serviço mostram só a forma de `errors`.',
  defaultReasons:
    'Uma devolução ou um estorno sem motivo recebe um destes, porque a documentação não mostra nenhum.',
  refundAmountFields:
    'Uma devolução tem o valor sob os dois nomes, porque a documentação tem os dois e não diz qual vale.',
  receiptPrefix: 'Um comprovante é este texto e um número, porque a documentação não mostra a forma dele.',
  saleReversalNotification:
    'Um estorno não envia notificação sobre a venda, porque a documentação cita esse evento sem um conteúdo.',
  failedPayoutStatus:
    'Um repasse que falhou tem este status, porque a documentação mostra PENDING no exemplo e FAILED na lista.',
  failedPayoutQuery:
    'Um repasse que falhou leva esta query string, porque a documentação mostra o segundo parâmetro só para o que deu certo.',
  failedPayoutMessage:
    'O motivo do banco fica aqui na mensagem, porque a documentação diz apenas que ele pode vir depois.',
  deliveryTimeoutMs:
    'Um listener tem este número de milissegundos para responder, porque a documentação não informa um limite.',
};
