// SqliteStore over a database that the host opens: only one of two handlers acts.
import { SqliteStore } from 'pix-automatic-sdk/stores';
import { createWebhookHandler } from 'pix-automatic-sdk/webhooks';

export async function checkSqlite(database) {
  const name = 'SqliteStore keeps two handlers from acting twice';
  try {
    const store = new SqliteStore(database);
    await store.createTable();
    let acted = 0;
    const answers = [];
    for (const credentials of [
      { apiKey: 'k', apiToken: 't' },
      { apiKey: 'k', apiToken: 't' },
    ]) {
      const on = {
        payment: () => {
          acted += 1;
        },
      };
      const handler = createWebhookHandler({ credentials, store, on });
      const request = new Request('https://shop.example.com/hook', {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('k:t')}` },
        body: '{"saleToken":"s-1","newStatus":"PAID"}',
      });
      answers.push((await handler(request)).status);
    }
    if (answers.join() !== '200,200' || acted !== 1)
      throw new Error(`answered ${answers}, acted ${acted} times`);
    return [{ name, problem: null }];
  } catch (error) {
    return [{ name, problem: String(error?.stack ?? error) }];
  }
}
