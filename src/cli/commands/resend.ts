import { type Command, sandboxOptions } from '../command';
import { didYouMean, failure } from '../failure';
import { say } from '../language';
import { paintAnswer, print, printJson } from '../output';
import { attempt, connectSandbox, readAnswer } from '../sandbox-client';

export const resend: Command = {
  name: 'resend',
  summary: 'Send a notification of the running sandbox once more; your listener must not act twice',
  arguments: [{ name: 'delivery id', isRequired: false }],
  options: sandboxOptions,
  examples: ['resend', 'resend delivery-3'],
  notes: () => [{ title: say('Without an argument'), lines: [say('The newest notification.')] }],
  exitCodes: ['answered with 200', 'not answered with 200, or there is no such notification'],
  async run({ args, options }) {
    const sandbox = connectSandbox(options);
    const ids = (await sandbox.deliveries()).map((delivery) => delivery.id);
    const id = args[0] ?? ids.at(-1);
    if (id === undefined) throw failure('The sandbox has sent no notification yet.');
    if (!ids.includes(id)) {
      throw failure('The sandbox has no such delivery.{hint} `pix-automatic-sdk list` shows them all.', {
        hint: didYouMean(id, ids),
      });
    }
    const answer = await sandbox.call('POST', `/sandbox/deliveries/${encodeURIComponent(id)}/redeliver`);
    const { httpStatus, error, durationMs } = readAnswer(attempt, answer);
    if (options.has('json')) printJson({ delivery: id, httpStatus, error, durationMs }, 2);
    else {
      const result = paintAnswer({ httpStatus, error });
      print(say('Sent {id} once more: {result}, {durationMs} ms', { id, result, durationMs }));
    }
    return httpStatus === 200 ? 0 : 1;
  },
};
