"""Schedules that let sleepd run by itself: user units of systemd, a crontab line, launchd agents, tasks of Windows."""
