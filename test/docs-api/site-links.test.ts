import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { brokenSiteLinks } from '../../scripts/check-site';

function check(files: Readonly<Record<string, string>>) {
  const site = mkdtempSync(join(tmpdir(), 'pix-automatic-sdk-site-'));
  onTestFinished(() => rmSync(site, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(site, name)), { recursive: true });
    writeFileSync(join(site, name), text);
  }
  return brokenSiteLinks(site);
}

it('the link check accepts links to files, folders with an index, anchors and other hosts', () => {
  const found = check({
    'index.html':
      '<script src="assets/main.js">"<a href=\\"none.html\\">"</script><a id="top" href="#top">' +
      '<a href="guides/one.html#s%C3%A3o">b</a> <a href="guides/">c</a> <a href="https://example.com/none">d</a>',
    'guides/one.html': '<h2 id="são">a</h2><img src="../assets/a.png?x=1&amp;y=2">',
    'guides/index.html': '<a href="../index.html">home</a>',
    'assets/main.js': '',
    'assets/a.png': '',
  });
  expect(found).toEqual({ pages: 3, links: 6, broken: [] });
});

it('the link check finds missing files, anchors and pictures, and links that leave the site', () => {
  const { broken } = check({
    'index.html':
      '<a href="none.html"><a href="#none"><a href="a/b.html#none"><img src="none.png"><a href="../x">',
    'a/b.html': '<a href="b.html">',
  });
  expect(broken).toEqual([
    'index.html: none.html: no such file',
    'index.html: #none: no such anchor',
    'index.html: a/b.html#none: no such anchor',
    'index.html: none.png: no such file',
    'index.html: ../x: leaves the site',
  ]);
});
