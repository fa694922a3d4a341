'use client';
import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

/** Asks for the page anew every three seconds, until it is one without this. */
export function Poll() {
  const router = useRouter();
  useEffect(() => {
    const timer = setInterval(() => router.refresh(), 3_000);
    return () => clearInterval(timer);
  }, [router]);
  return null;
}
