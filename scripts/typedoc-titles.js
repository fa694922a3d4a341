// A TypeDoc plugin: the title of a document is its first heading, and its group comes from its folder. On its own,
// TypeDoc would take the file's name, or front matter, which npm and editors show as text.
import { Converter, RendererEvent } from 'typedoc';

/** @param {import('typedoc').Application} app */
export function load(app) {
  const titles = new Map();
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => {
    const path = document.name;
    const text = document.content.map((part) => part.text).join('');
    const [, heading = path] = /^# (.+)$/m.exec(text) ?? [];
    titles.set(document, path === 'README.pt-BR' ? 'Leia-me em português' : heading.replaceAll('`', ''));
    document.frontmatter.group = groupOf(path);
  });
  // By then the pages' addresses are made from the files' names, so they stay the same when a heading changes.
  app.renderer.on(RendererEvent.BEGIN, ({ project }) => {
    for (const [document, title] of titles) document.name = title;
    // The home page has the project's name as its title already.
    const [first] = project.readme ?? [];
    if (first !== undefined) first.text = first.text.replace(/^# .+\n/, '');
  });
}

function groupOf(path) {
  if (path.startsWith('docs/pt/') || path === 'README.pt-BR') return 'Em português';
  if (path.startsWith('docs/maintainers/')) return 'Project';
  return path.startsWith('docs/') ? 'Guides' : 'Project';
}
