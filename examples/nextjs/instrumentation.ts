/** Next.js calls this once, when the server starts, and not in `next build`. */
export async function register() {
  if (process.env.NEXT_RUNTIME === 'nodejs') await import('./lib/start');
}
