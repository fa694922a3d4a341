// Checks that every link of the built site leads somewhere: each local `href` and `src` to a file, and each anchor to
// an element. It does not follow links to other hosts, and so needs no network.
// Run: tsx scripts/check-site.ts [DIRECTORY]     `site` by default; `npm run docs` builds it first
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** The links of a built site. */
export interface SiteLinks {
  readonly pages: number;
  /** How many links stay on the site. */
  readonly links: number;
  /** One line for each broken link: the page, and the link. */
  readonly broken: readonly string[];
}

/** Looks up every local `href` and `src` of the HTML files in a directory. */
export function brokenSiteLinks(directory: string): SiteLinks {
  const root = resolve(directory);
  const pages = new Map(htmlFilesIn(root).map((file) => [file, readPage(file)]));
  const broken: string[] = [];
  let links = 0;
  for (const [file, { targets }] of pages) {
    for (const target of targets) {
      // Skip links with a scheme or another host.
      if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target)) continue;
      links += 1;
      const problem = problemOf(target, file);
      if (problem !== undefined) broken.push(`${relative(root, file)}: ${target}: ${problem}`);
    }
  }
  return { pages: pages.size, links, broken };

  function problemOf(target: string, file: string): string | undefined {
    const [path = '', anchor = ''] = target.split('#').map((part) => decodeURIComponent(part));
    const [withoutQuery = ''] = path.split('?');
    const found = withoutQuery === '' ? file : indexOf(resolve(dirname(file), withoutQuery));
    if (relative(root, found).startsWith('..')) return 'leaves the site';
    if (!existsSync(found)) return 'no such file';
    if (anchor === '' || !found.endsWith('.html')) return undefined;
    return pages.get(found)?.anchors.has(anchor) ? undefined : 'no such anchor';
  }
}

interface Page {
  readonly targets: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

function readPage(file: string): Page {
  // Code samples have their HTML escaped, but scripts may contain it as it is.
  const html = readFileSync(file, 'utf8').replace(/(<script\b[^>]*>).*?<\/script>/gs, '$1');
  const valuesOf = (names: string) =>
    [...html.matchAll(new RegExp(`\\s(?:${names})="([^"]*)"`, 'g'))].map(([, value = '']) =>
      unescaped(value),
    );
  return { targets: valuesOf('href|src'), anchors: new Set(valuesOf('id|name')) };
}

function unescaped(value: string): string {
  return value
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function indexOf(path: string): string {
  return existsSync(path) && statSync(path).isDirectory() ? join(path, 'index.html') : path;
}

function htmlFilesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.html'))
    .map((entry) => join(entry.parentPath, entry.name));
}

if (process.argv[1]?.endsWith('check-site.ts')) {
  const [directory = 'site'] = process.argv.slice(2);
  const { pages, links, broken } = brokenSiteLinks(directory);
  for (const line of broken) console.error(line);
  console.log(`${pages} pages, ${links} local links, ${broken.length} broken.`);
  if (pages === 0 || links === 0 || broken.length > 0) process.exit(1);
}
