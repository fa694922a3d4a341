import { CopyButton } from './copy-button';
import { html } from './html';
import { usePage } from './page-context';
import { Section } from './section';

/** What a client needs to know. A pair of the merchant's own is never shown. */
export function Connection() {
  const { texts, state } = usePage();
  const { url, defaultCredentials } = state;
  const lines = [
    `PAYMENTS_BASE_URL=${url}`,
    ...(defaultCredentials === undefined
      ? []
      : [
          `PAYMENTS_API_KEY=${defaultCredentials.apiKey}`,
          `PAYMENTS_API_TOKEN=${defaultCredentials.apiToken}`,
        ]),
  ];
  return html`<${Section} id="connection" title=${texts.connection}>
    <div class="card">
      <p class="hint">${texts.connectionHint}</p>
      <pre tabindex="0" aria-labelledby="connection">${lines.join('\n')}</pre>
      ${
        defaultCredentials === undefined &&
        html`<p class="hint">PAYMENTS_API_KEY, PAYMENTS_API_TOKEN: ${texts.ownCredentials}</p>`
      }
      <${CopyButton} text=${lines.join('\n')} what=${texts.connection} />
    </div>
  </${Section}>`;
}
