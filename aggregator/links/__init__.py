"""Whether links to libraries and providers still work: samples, findings, and where readers are led instead."""
