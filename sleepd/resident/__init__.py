"""What runs by itself: the daemon, its clock and watcher, scheduled nights, services, notices."""
