Deno.stdout.writeSync(new TextEncoder().encode("0.1.0\n"));
