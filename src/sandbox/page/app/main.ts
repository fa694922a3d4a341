import { render } from 'preact';
import { App } from './app';
import { html } from './html';

const root = document.getElementById('app');
if (root !== null) render(html`<${App} />`, root);
