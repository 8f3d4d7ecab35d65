"""Parts that run by themselves: the daemon, its clock and watcher, scheduled nights, services, notices."""
