import htm from 'htm';
import { h, type VNode } from 'preact';

/** Markup as a template: text in it is always text, never HTML. */
export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode;
